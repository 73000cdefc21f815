import Reprise

extension CommitRecord {
    /// The intent, and what the commit is about: `undo of 1204`, `revert of 1204..1310`, `restore, deleted by 1204`;
    /// `order.ship because of 1204` where a program has said so.
    var deed: String {
        guard let causation else { return intent }
        if !takenBack.isEmpty {
            let stretches = takenBack.map { "\($0.lowerBound)..\($0.upperBound)" }
            return "\(intent) of \(Wording.list(stretches, "and", limit: 3))"
        }
        switch intent {
        case "undo", "redo", "revert": return "\(intent) of \(causation)"
        case "restore": return "\(intent), deleted by \(causation)"
        case "": return "because of \(causation)"
        default: return "\(intent) because of \(causation)"
        }
    }
}
