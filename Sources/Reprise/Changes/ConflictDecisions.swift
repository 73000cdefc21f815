internal import RepriseLMDB

/// Asks a resolution of each conflict once, and keeps the answers.
struct ConflictDecisions {
    /// Where the answer to a conflict stands. Eight bytes, as there may be millions.
    private struct Answer {
        let side: ChangeSet.Conflict.Side
        let isOpen: Bool
        let number: UInt32
    }

    private let resolution: ChangeSet.Resolution
    private let makeFile: () throws(LMDBError) -> SpillFile
    private var openFile: SpillFile?
    private var settledFile: SpillFile?
    /// Conflicts that the resolution leaves open. What follows is decided as if ours held.
    private(set) var open = ChangeSet.Conflicts()
    /// Conflicts that are settled.
    private(set) var settled = ChangeSet.Conflicts()
    /// The answers to conflicts that may be met again, by the hash of the conflict. Where another conflict has the same
    /// hash, the answer stands under the next number that is free.
    private var answers: [UInt32: Answer] = [:]

    init(_ resolution: ChangeSet.Resolution, _ makeFile: @escaping () throws(LMDBError) -> SpillFile) {
        self.resolution = resolution
        self.makeFile = makeFile
    }

    /// Which side holds.
    ///
    /// - Parameter change: the bytes of the values of a `changed`.
    mutating func decide(
        _ conflict: ChangeSet.Conflict,
        _ change: ConflictForm.Change?
    ) -> ChangeSet.Conflict.Side {
        var hash: UInt32 = 0
        if conflict.kind.mayComeAgain {
            hash = UInt32(truncatingIfNeeded: conflict.hashValue)
            while let answer = answers[hash] {
                let number = Int(answer.number)
                if (answer.isOpen ? open[number] : settled[number]) == conflict { return answer.side }
                hash &+= 1
            }
        }
        var side = resolution.choose(conflict)
        if side == .theirs, !conflict.canBeTheirs { side = nil }
        let number = side == nil ? open.count : settled.count
        if side == nil {
            open.append(conflict, change) { try Self.file(&openFile, makeFile) }
        } else {
            settled.append(conflict, change) { try Self.file(&settledFile, makeFile) }
        }
        if conflict.kind.mayComeAgain {
            answers[hash] = Answer(
                side: side ?? .ours,
                isOpen: side == nil,
                number: UInt32(truncatingIfNeeded: number)
            )
        }
        return side ?? .ours
    }

    private static func file(
        _ file: inout SpillFile?,
        _ makeFile: () throws(LMDBError) -> SpillFile
    ) throws(LMDBError) -> SpillFile {
        if let file { return file }
        let made = try makeFile()
        file = made
        return made
    }
}

extension ChangeSet.Conflict.Kind {
    /// Whether the rules, which are looked at again and again, or another entry of a list may lead to it once more.
    fileprivate var mayComeAgain: Bool {
        switch self {
        case .used, .taken, .missing, .moved: true
        case .changed, .gone, .existing, .changedSince, .lacking: false
        }
    }
}
