package import ExportFormats

/// How far the opening of a source is, over all passes that it takes, and whether it goes on.
///
/// A pass is as long as the file. What is not read as bytes tells its share of a pass.
package final class SourceOpening {
    package let path: String
    /// The state in which every pass has to find the file.
    package let stamp: ExportFile.Stamp
    /// How many passes there are. Settled before the first one begins.
    package var passCount: UInt64 = 1
    /// How long a pass is, in bytes.
    private(set) var byteCount: UInt64
    /// What the passes before came to.
    private var before: UInt64 = 0
    private var weight: UInt64 = 0
    private var bytesRead: UInt64 = 0
    private var isCancelled = false
    /// Nil when the source is open, so that no closure outlives that.
    private var ask: ((LegacyProgress) -> Bool)?

    fileprivate init(_ path: String, _ ask: @escaping (LegacyProgress) -> Bool)
        throws(LegacyError)
    {
        self.path = path
        self.ask = ask
        stamp = try ExportFile(path: path).stamp
        byteCount = stamp.byteCount
    }

    /// Opens the file from its start once more, which is the next pass.
    ///
    /// - Parameter weight: for how many passes it counts.
    package func input(weight: UInt64 = 1) throws(LegacyError) -> FileInput {
        let input = try FileInput(path: path, stamp: stamp)
        try beginPass(weight: weight)
        input.onProgress = { [unowned self] in try advance(to: $0) }
        return input
    }

    /// The next pass begins.
    ///
    /// - Parameter weight: for how many passes it counts.
    package func beginPass(weight: UInt64 = 1) throws(LegacyError) {
        before += self.weight * byteCount
        self.weight = weight
        try advance(to: 0)
    }

    /// Says how far the pass is, and asks whether to go on.
    ///
    /// - Parameter bytes: of as many bytes as the pass has, times its weight.
    /// - Throws: `.cancelled`.
    func advance(to bytes: UInt64) throws(LegacyError) {
        guard goesOn(to: bytes) else { throw .cancelled }
    }

    /// The same for what is called back by something that does not throw: whether to go on.
    package func goesOn(to bytes: UInt64) -> Bool {
        say(before + min(bytes, weight * byteCount))
    }

    /// The same for what does not count bytes.
    ///
    /// - Parameter share: of the pass, 0...1.
    package func goesOn(toShare share: Double) -> Bool {
        goesOn(to: UInt64(Double(weight * byteCount) * max(0, min(1, share))))
    }

    /// What is read turned out to be longer than the file: a log beside it.
    package func lengthen(to byteCount: UInt64) {
        self.byteCount = max(self.byteCount, byteCount)
    }

    fileprivate func finish() throws(LegacyError) {
        guard say(passCount * byteCount) else { throw .cancelled }
    }

    fileprivate func close() { ask = nil }

    private func say(_ bytes: UInt64) -> Bool {
        let total = passCount * byteCount
        bytesRead = max(bytesRead, min(bytes, total))
        guard !isCancelled else { return false }
        isCancelled = !(ask?(LegacyProgress(bytesRead: bytesRead, byteCount: total)) ?? true)
        return !isCancelled
    }
}

extension SourceFile {
    /// Opens a source: reads what has to be known of a file before its records are.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - progress: called when a pass begins, about every four megabytes and in the end; returning false cancels.
    ///   - body: does it, and says how far it is. Whatever it throws but a `LegacyError` is something unforeseen.
    package static func open<R>(
        _ path: String,
        _ progress: (LegacyProgress) -> Bool,
        _ body: (SourceOpening) throws -> R
    ) throws(LegacyError) -> R {
        try withoutActuallyEscaping(progress) { progress throws(LegacyError) in
            let opening = try SourceOpening(path, progress)
            try LegacyFormat.refuseForeign(path)
            defer { opening.close() }
            return try typed(path) {
                let result = try body(opening)
                try opening.finish()
                return result
            }
        }
    }

    /// Reads a file once, from its start to its end, for its records.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - stamp: the state that it must be in, before and afterwards.
    ///   - consume: gets the progress, and what `body` reports.
    ///   - body: reads the bytes, and reports records and warnings.
    /// - Returns: what was reported, with the size and the hash of the file.
    package static func read(
        _ path: String,
        in stamp: ExportFile.Stamp,
        _ consume: (LegacyEvent) throws -> Void,
        _ body: (FileInput, LibraryReport) throws -> Void
    ) throws -> LegacyReading {
        try withoutActuallyEscaping(consume) { consume in
            let report = LibraryReport(consume)
            let input = try FileInput(path: path, stamp: stamp)
            input.onProgress = { bytesRead in
                try consume(.progress(LegacyProgress(bytesRead: bytesRead, byteCount: stamp.byteCount)))
            }
            try body(input, report)
            try input.checkUnchanged()
            var reading = report.reading
            reading.byteCount = stamp.byteCount
            reading.contentHash = input.contentHash
            return reading
        }
    }
}
