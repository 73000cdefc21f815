extension Schema {
    /// Adds a change of the content that no declaration says, such as splitting a model, or moving values across a
    /// relationship (STO-93).
    ///
    /// ```swift
    /// static let schema = Schema(Person.self, Address.self).change(to: 2) { old, new in
    ///     guard old.schema.model(named: "person") != nil else { return }
    ///     try old.forEachRecord(RecordQuery(model: "person")) { person in
    ///         guard case .string(let city) = person["city"] else { return true }
    ///         try new.insert(Address(id: .init(person.id), city: city))
    ///         return true
    ///     }
    /// }
    /// ```
    ///
    /// When a store of a lower version is opened, the closures of all higher ones run in ascending order, after the
    /// declaration and its conversions, in the same commit. A store that is made anew has the highest version, and no
    /// closure runs. Each reads the store as it was before all of them, by the names of whichever earlier version that
    /// was (`old.schema` says which models and attributes it has), and writes today's models. What a closure before it
    /// has written is seen through `new`. Keep them working for as long as stores of those versions are about, and keep
    /// the number: a version without it finds the store too new.
    ///
    /// - Parameters:
    ///   - version: from 1; each number once. It is the schema's, not that of a model.
    ///   - keepsOlderCode: whether programs with a lower version can still work with the store. Otherwise they get
    ///     `newerSchema`.
    ///   - body: may run again where the map has to grow. What it throws, opening throws, and nothing is changed.
    public func change(
        to version: Int,
        keepsOlderCode: Bool = false,
        _ body: @escaping @Sendable (
            _ old: borrowing ReadTransaction, _ new: inout WriteTransaction
        ) throws -> Void
    ) -> Schema {
        var copy = self
        copy.codeChanges.append(
            ClosureChange(version: version, keepsOlderCode: keepsOlderCode, body: body)
        )
        copy.codeChanges.sort { $0.version < $1.version }
        copy.description.version = UInt32(clamping: copy.codeChanges.last?.version ?? 0)
        let breaking = copy.codeChanges.last { !$0.keepsOlderCode }
        copy.description.floor = UInt32(clamping: breaking?.version ?? 0)
        return copy
    }

    /// Throws where numbers of changes by code are not of use.
    func checkCodeChanges() throws(StoreError) {
        var last = 0
        for change in codeChanges {
            guard change.version > last, UInt32(exactly: change.version) != nil else {
                throw StoreError(
                    .invalidSchema,
                    "The change to version \(change.version) has a number that is below 1 or is there twice.",
                    advice: "Number the changes 1, 2, 3 and so on."
                )
            }
            last = change.version
        }
    }
}

/// A change by code that a closure makes.
struct ClosureChange: CodeChange {
    let version: Int
    let keepsOlderCode: Bool
    /// Reads the store as it was, by stored names, and writes it as it shall be.
    let body:
        @Sendable (_ old: borrowing ReadTransaction, _ new: inout WriteTransaction) throws -> Void
}
