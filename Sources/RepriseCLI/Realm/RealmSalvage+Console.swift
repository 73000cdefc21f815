import RealmFile

extension RealmReader {
    /// Finds out what of the file is whole, showing how far that is.
    func salvage(in console: borrowing Console) throws -> RealmSalvage {
        let progress = console.progress("Salvaging", unit: "object")
        defer { progress.finish() }
        let interruption = console.interruption
        return try salvage { step in
            if interruption.isRequested() { throw CommandFailure.readingInterrupted }
            progress.update(done: UInt64(step.objectsRead), total: UInt64(step.objectCount))
        }
    }
}

extension RealmSalvage {
    /// What is lost, a line each, and what that comes to.
    var lines: [String] {
        var lines: [String] = []
        if let newestFault {
            lines.append(
                "The newest version of the data cannot be read, and the one before it was taken: \(newestFault)"
            )
        }
        lines += losses.map { "Lost: \($0)" }
        if losses.count < lossCount {
            lines.append(
                "And \(Quantity.count(lossCount - losses.count, "more loss", "more losses"))."
            )
        }
        return lines.map { DisplayWidth.visible($0) }
    }

    /// How much is whole, in one line.
    var summary: String {
        if isComplete { return "sound" }
        let losses = Quantity.count(lossCount, "loss", "losses")
        guard !notedObjectCounts.contains(nil) else {
            return
                "damaged; \(Quantity.count(objectCount, "object")) whole, of how many cannot be told, \(losses)"
        }
        let noted = Quantity.count(notedObjectCounts.reduce(0) { $0 + ($1 ?? 0) }, "object")
        return "damaged; \(Quantity.count(objectCount)) of \(noted) whole, \(losses)"
    }

    func write(to writer: inout JSONWriter) {
        if let newestFault { writer.member("newestFault", newestFault.description) }
        writer.member("lossCount", lossCount)
        writer.key("losses")
        writer.objects(losses) { loss, writer in
            writer.member("kind", loss.kind.rawValue)
            if let name = loss.className { writer.member("class", name) }
            if let keys = loss.keys {
                writer.member("firstKey", keys.lowerBound)
                writer.member("lastKey", keys.upperBound)
            }
            if let count = loss.count { writer.member("count", count) }
            if let property = loss.property { writer.member("property", property) }
            if let offset = loss.offset { writer.member("offset", offset) }
            writer.member("reason", loss.reason)
        }
    }
}

extension Quantity {
    /// The same for words that have a plural of their own.
    fileprivate static func count(_ number: Int, _ unit: String, _ plural: String) -> String {
        count(number) + " " + (number == 1 ? unit : plural)
    }
}
