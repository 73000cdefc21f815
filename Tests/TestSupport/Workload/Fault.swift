/// A canary: something that the workload does wrong on purpose between the auditor and the store. Each kind must be
/// caught.
package enum Fault: String, Sendable, CaseIterable {
    case skippedInsert, skippedUpdate, skippedDelete, skippedLink, skippedUnlink, skippedMove
    /// Another entry of the same target is unlinked.
    case wrongEntry
    /// The entry goes to the other end of the list.
    case swappedOrder
    /// A moved entry is taken out and linked anew: same order, another identity.
    case lostIdentity
    case doubledLink
    case forgedTarget
    case forgedValue
    /// One entity that a deletion takes along is put back.
    case lostCascade
    case ignoredExpectation
    /// The store is rolled back to another commit than the auditor.
    case wrongRollback
    /// The past is read at another commit.
    case staleRead
    /// An answer lacks its last row, or has its first two swapped.
    case lostRow, misorderedRows
}

/// Puts one fault in, at the first opportunity after some operations.
package struct Saboteur: Sendable {
    package let fault: Fault?
    package let after: Int
    /// The operation at which the fault was put in.
    package private(set) var struckAt: Int?

    package init(_ fault: Fault? = nil, after: Int = 0) {
        self.fault = fault
        self.after = after
    }

    /// Whether the commit at hand will leave no trace, and the fault neither.
    package var isPaused = false

    /// Whether to do `fault` now; true at most once.
    package mutating func strikes(_ fault: Fault, at operation: Int) -> Bool {
        guard self.fault == fault, struckAt == nil, !isPaused, operation >= after
        else { return false }
        struckAt = operation
        return true
    }

    /// The operations that reach the store in place of one that the auditor has carried out.
    /// - Parameters:
    ///   - before: the state in which it was given.
    ///   - after: the state that the auditor predicts.
    package mutating func tamper(
        _ operation: Operation,
        from before: AuditState,
        to after: AuditState,
        at number: Int
    ) -> [Operation] {
        guard let fault, struckAt == nil, !isPaused, number >= self.after,
            !before.holdsTheSame(as: after),
            let forged = Self.forge(fault, operation, before, after)
        else { return [operation] }
        struckAt = number
        return forged
    }

    /// Nil when the operation gives no opportunity.
    private static func forge(
        _ fault: Fault,
        _ operation: Operation,
        _ before: AuditState,
        _ after: AuditState
    ) -> [Operation]? {
        switch (fault, operation) {
        case (.skippedInsert, .insert), (.skippedUpdate, .update), (.skippedDelete, .delete),
            (.skippedLink, .link), (.skippedUnlink, .unlink), (.skippedMove, .move):
            return []
        case (.wrongEntry, .unlink(let owner, let name, let index)):
            let list = before[list: .init(owner, name)]
            return list.indices.first { $0 != index && list[$0].target == list[index].target }
                .map { [.unlink(owner, name, $0)] }
        case (.swappedOrder, .link(let owner, let name, let target, .last)):
            let isAlone = after[list: .init(owner, name)].count < 2
            return isAlone ? nil : [.link(owner, name, target, .first)]
        case (.lostIdentity, .move(let owner, let name, let index, _)):
            let list = after[list: .init(owner, name)]
            let entry = before[list: .init(owner, name)][index]
            guard entry.ticket != 0, let place = list.firstIndex(of: entry) else { return nil }
            return [
                .unlink(owner, name, index),
                .link(owner, name, entry.target, place == 0 ? .first : .after(place - 1)),
            ]
        case (.doubledLink, .link(let owner, let name, _, _)):
            let isRepeatable = after[list: .init(owner, name)].allSatisfy { $0.ticket != 0 }
            return isRepeatable ? [operation, operation] : nil
        case (.forgedTarget, .link(let owner, let name, let target, let placement)):
            let list = after[list: .init(owner, name)]
            let other = list.first { $0.target != target && $0.ticket != 0 }
            return other.map { [.link(owner, name, $0.target, placement)] }
        case (.forgedValue, .update(let entity, let changes, let expecting)):
            let numbers = changes.filter { if case .int? = $0.value { true } else { false } }
            guard let name = numbers.keys.sorted().first else { return nil }
            return [.update(entity, changes.merging([name: .int(424_242)]) { $1 }, expecting)]
        case (.lostCascade, .delete(let root, _)):
            return lostCascade(operation, root, before, after)
        case (.ignoredExpectation, _), (.wrongRollback, _), (.staleRead, _), (.lostRow, _),
            (.misorderedRows, _):
            return nil
        default:
            return nil
        }
    }

    private static func lostCascade(
        _ operation: Operation,
        _ root: Entity,
        _ before: AuditState,
        _ after: AuditState
    ) -> [Operation]? {
        // A vertex can be put back without the one that took it along.
        let gone = before.ids("vertex").map { Entity("vertex", $0) }
            .first { $0 != root && !after.exists($0) }
        return gone.map { [operation, .insert($0, [:], .absent)] }
    }
}
