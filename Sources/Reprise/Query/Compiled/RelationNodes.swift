/// Whether one of the entities that a to-many relationship leads to, or each, fulfils a condition.
final class RelationNode: FilterNode {
    private let relation: CompiledRelation
    private let condition: FilterNode
    private let wantsAll: Bool
    /// For a condition that is asked within another one on a list, again and again about the same owners.
    private let answers: ListAnswers?
    private let number: UInt16

    init(
        _ relation: CompiledRelation,
        _ condition: FilterNode,
        all wantsAll: Bool,
        _ answers: ListAnswers?
    ) {
        self.relation = relation
        self.condition = condition
        self.wantsAll = wantsAll
        let number = answers?.takeNumber()
        self.answers = number == nil ? nil : answers
        self.number = number ?? 0
    }

    override func matches(
        _ subject: borrowing FilterSubject,
        in workspace: Workspace
    ) throws -> Bool {
        guard let answers, let owner = try unsafe relation.owner(of: subject, in: workspace) else {
            return try evaluate(subject, in: workspace)
        }
        if let known = unsafe answers.answer(number, about: owner) { return known }
        // What is looked up meanwhile may move the bytes.
        let key = unsafe [UInt8](owner)
        let answer = try evaluate(subject, in: workspace)
        unsafe key.withUnsafeBytes { unsafe answers.note(answer, number, about: $0) }
        return answer
    }

    private func evaluate(
        _ subject: borrowing FilterSubject,
        in workspace: Workspace
    ) throws -> Bool {
        var answer = wantsAll
        // Of its own: conditions may be nested, and each level looks rows up.
        var key = KeyBuffer()
        try unsafe relation.forEachTarget(of: subject, in: workspace) { id in
            unsafe key.setRow(model: relation.target.number, id: id)
            guard let row = try unsafe workspace.row(key.bytes) else {
                throw StoreError.damage(
                    "A list names \(relation.target.name) \"\(unsafe String(decoding: id, as: UTF8.self))\", "
                        + "which does not exist."
                )
            }
            let target = unsafe FilterSubject(
                id: id,
                payload: try RowPayload(trusting: row.payload, relation.target.defaults)
            )
            if try condition.matches(target, in: workspace) != wantsAll {
                answer = !wantsAll
                return false
            }
            return true
        }
        return answer
    }
}

/// How many entries a to-many relationship has.
final class EntryCountNode: FilterNode {
    private let relation: CompiledRelation
    private let comparison: ComparisonOperator
    private let count: Int

    init(_ relation: CompiledRelation, _ comparison: ComparisonOperator, _ count: Int) {
        self.relation = relation
        self.comparison = comparison
        self.count = count
    }

    override func matches(
        _ subject: borrowing FilterSubject,
        in workspace: Workspace
    ) throws -> Bool {
        var found = 0
        try unsafe relation.forEachTarget(of: subject, in: workspace) { _ in
            found += 1
            // One more than asked for answers every comparison.
            return found <= count
        }
        return comparison.holds(found, against: count)
    }
}

/// The answers of the conditions on lists that stand within another one, for each entity that owns such a list
/// (QRY-33).
///
/// Without them a condition is asked anew for every way that leads to its owner, whose number is exponential in the
/// depth. Lives as long as its query, in which nothing is written.
final class ListAnswers {
    /// About how much memory the answers of one query may take. Beyond it they are forgotten and found again.
    static let byteCountMax = 32 << 20

    private var known = KeyTable()
    private var key = KeyBuffer()
    private var conditionCount: UInt16 = 0
    private let byteCountMax: Int

    init(byteCountMax: Int = ListAnswers.byteCountMax) {
        self.byteCountMax = byteCountMax
    }

    /// A number for another condition; nil for those of a filter that has too many of them.
    func takeNumber() -> UInt16? {
        guard conditionCount < .max else { return nil }
        conditionCount += 1
        return conditionCount
    }

    func answer(_ condition: UInt16, about owner: UnsafeRawBufferPointer) -> Bool? {
        unsafe key.setRow(model: condition, id: owner)
        return unsafe known.find(key.bytes).map { $0 != 0 }
    }

    func note(_ answer: Bool, _ condition: UInt16, about owner: UnsafeRawBufferPointer) {
        // Only a damaged list names longer identifiers, which no table of keys takes.
        guard owner.count <= identifierByteCountMax else { return }
        if known.byteCount >= byteCountMax { known = KeyTable() }
        unsafe key.setRow(model: condition, id: owner)
        unsafe known.set(key.bytes, to: answer ? 1 : 0)
    }
}
