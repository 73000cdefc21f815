import Reprise

/// Thrown by a commit that is to leave no trace.
private struct Abandoned: Error {}

extension Workload {
    /// One commit of several operations, compared while it is open and afterwards.
    func commitStep(_ generator: inout SeededGenerator) throws {
        let before = auditor.state
        let isWatched = generator.once(in: 6)
        trail.append(.note("begin"))
        var context = CommitContext()
        context.intent = "workload.commit"
        try write(context, &generator) { (workload, transaction, generator) in
            try workload.perform(&transaction, &generator)
            if isWatched { try workload.compareTouched(transaction, isOpen: true) }
        }
        trail.append(.note("commit"))
        let count = chronicle.commitCount
        try settle(from: before)
        noteStep(since: count)
    }

    /// A commit whose body throws after some of its operations.
    func abandonStep(_ generator: inout SeededGenerator) throws {
        let before = auditor.state
        let known = registry
        trail.append(.note("begin, to be abandoned"))
        saboteur.isPaused = true
        defer { saboteur.isPaused = false }
        do {
            try write(CommitContext(), &generator) { (workload, transaction, generator) in
                try workload.perform(&transaction, &generator)
                throw Abandoned()
            }
            throw Difference("a commit whose body throws returned")
        } catch is Abandoned {
            trail.append(.note("abandoned"))
        }
        let touched = auditor.state
        auditor.restore(before)
        registry = known
        tick("abandoned commit")
        try store.read { transaction in
            try expectEqual(transaction.head.rawValue, head, "the head after an abandoned commit")
            try expectEqual(transaction.digest, digests[chronicle.commitCount], "the digest")
            for entity in touched.touchedRows { try compare(entity, transaction, before) }
        }
    }

    /// Lends the workload to the body of a write.
    private func write(
        _ context: CommitContext,
        _ generator: inout SeededGenerator,
        _ body: (Workload, inout WriteTransaction, inout SeededGenerator) throws -> Void
    ) throws {
        var dice = generator
        defer { generator = dice }
        try store.write(context) { transaction in
            // The auditor says of each operation whether it is refused.
            try transaction.checkRulesAtOnce()
            try body(self, &transaction, &dice)
        }
    }

    private func perform(
        _ transaction: inout WriteTransaction,
        _ generator: inout SeededGenerator
    ) throws {
        let count = 1 + generator.skewed(below: options.commitOperationCountMax)
        var maker = OperationMaker(auditor.schema, generator)
        defer { generator = maker.generator }
        if maker.generator.once(in: 60) {
            for operation in maker.burst(auditor.state) {
                try perform(operation, &transaction, &maker.generator)
            }
        }
        for _ in 0..<count {
            // A later operation of the same commit could undo what the fault did.
            if saboteur.struckAt != nil { break }
            try perform(maker.operation(auditor.state), &transaction, &maker.generator)
        }
    }

    /// One operation, first by the auditor, then by the store: both do it, or both refuse it and the commit goes on.
    private func perform(
        _ operation: Operation,
        _ transaction: inout WriteTransaction,
        _ generator: inout SeededGenerator
    ) throws {
        let before = auditor.state
        let prediction = auditor.apply(operation)
        trail.append(.operation(operation, prediction.refusals))
        tick(operation.kind)
        if ignoresExpectation(of: operation, prediction) {
            // What the store then does is found by comparing, not by the error that is missing.
            _ = try? deliver(operation.expectingAnything, before, &transaction, &generator)
            return
        }
        let delivered = saboteur.tamper(
            operation,
            from: before,
            to: auditor.state,
            at: operationCount
        )
        for operation in delivered {
            let outcome = try outcome(of: operation, before, &transaction, &generator)
            guard delivered.count == 1 else { continue }
            try check(outcome, prediction, operation)
        }
    }

    /// Whether the fault is put in here: the operation has nothing against it but its expectation.
    private func ignoresExpectation(of operation: Operation, _ prediction: Prediction) -> Bool {
        guard saboteur.fault == .ignoredExpectation, prediction.refusals == [.revisionConflict]
        else { return false }
        var other = auditor
        guard other.apply(operation.expectingAnything).refusals.isEmpty,
            !other.state.holdsTheSame(as: auditor.state)
        else { return false }
        return saboteur.strikes(.ignoredExpectation, at: operationCount)
    }

    private func outcome(
        of operation: Operation,
        _ before: AuditState,
        _ transaction: inout WriteTransaction,
        _ generator: inout SeededGenerator
    ) throws -> Result<Delivery, StoreError> {
        do {
            return .success(try deliver(operation, before, &transaction, &generator))
        } catch let error as StoreError {
            return .failure(error)
        }
    }

    private func check(
        _ outcome: Result<Delivery, StoreError>,
        _ prediction: Prediction,
        _ operation: Operation
    ) throws {
        switch outcome {
        case .failure(let error):
            guard prediction.refusals.contains(where: { $0.isTold(by: error) }) else {
                throw Difference(
                    "\(operation) was refused with \(error.code): \(error); predicted \(prediction.refusals)"
                )
            }
        case .success(let delivery):
            guard prediction.refusals.isEmpty else {
                throw Difference("\(operation) was done; predicted \(prediction.refusals)")
            }
            if let entry = prediction.entry, let id = delivery.entry {
                try registry.learn(entry, id)
            }
            if let plan = delivery.plan, let predicted = prediction.plan {
                try compare(plan, predicted, "\(operation)")
            }
        }
    }
}

extension Refusal {
    /// Whether the store's error says the same.
    func isTold(by error: StoreError) -> Bool {
        switch (self, error.code) {
        case (.invalidIdentifier, .invalidIdentifier), (.entityExists, .entityExists),
            (.entityMissing, .entityMissing), (.targetMissing, .targetMissing),
            (.entryMissing, .entryMissing), (.missingValue, .invalidValue),
            (.uniqueViolation, .uniqueViolation), (.revisionConflict, .revisionConflict):
            true
        case (.deleteDenied(let denials), .deleteDenied):
            if case .deleteDenied(let by)? = error.cause {
                AuditPlan.denials(by) == denials
            } else {
                false
            }
        default: false
        }
    }
}

extension Operation {
    fileprivate var kind: String {
        switch self {
        case .insert: "insert"
        case .update: "update"
        case .delete: "delete"
        case .link: "link"
        case .unlink: "unlink"
        case .move: "move"
        }
    }

    fileprivate var expectingAnything: Operation {
        switch self {
        case .update(let entity, let changes, _): .update(entity, changes, .any)
        case .delete(let entity, _): .delete(entity, .any)
        default: self
        }
    }
}
