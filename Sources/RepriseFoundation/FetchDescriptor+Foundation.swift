public import Foundation
public import Reprise

extension Filter where Subject: Model {
    /// A filter that holds for what Foundation's predicate holds for.
    ///
    /// ```swift
    /// let filter = try Filter<Note>(#Predicate { $0.topic == "Travel" && $0.length > 200 })
    /// ```
    ///
    /// Comparisons, `&&`, `||`, `!`, nil tests, `??` with a constant, ranges, `contains`, `starts(with:)`, `isEmpty`,
    /// `count`, `contains(where:)` and `allSatisfy` of stored lists and sets, membership in a constant collection, and
    /// on Apple platforms `localizedStandardContains`, which becomes a search without regard to case and diacritics.
    /// Comparisons follow the rules of this library (Specs/behaviour/queries.md): text by its bytes, and nil equals
    /// nothing but nil.
    ///
    /// - Throws: `invalidQuery` with the part that cannot be translated. Nothing is ever evaluated in memory instead.
    public init(_ predicate: Predicate<Subject>) throws {
        let subject = PredicateSubject.entity { property in
            (property as? PartialKeyPath<Subject>).flatMap(Subject.schema.attributeName)
        }
        let translator = PredicateTranslator(subjects: [predicate.variable.key: subject])
        self.init(try translator.condition(predicate.expression))
    }
}

extension FetchDescriptor {
    /// A descriptor from Foundation's predicate and sort descriptors.
    ///
    /// - Throws: `invalidQuery` for a part of the predicate that cannot be translated, for a sort descriptor over a
    ///   property that is not stored, and for one that compares text by the rules of a language: say
    ///   `comparator: .lexical`.
    public init(
        predicate: Predicate<M>?,
        sortBy descriptors: [SortDescriptor<M>] = [],
        limit: Int? = nil,
        offset: Int = 0
    ) throws {
        self.init(
            filter: try predicate.map { try Filter($0) },
            sort: try descriptors.map { try SortKey($0) },
            limit: limit,
            offset: offset
        )
    }
}

extension SortKey {
    /// The key that sorts as Foundation's descriptor does.
    public init<M: Model>(_ descriptor: SortDescriptor<M>) throws {
        guard let property = descriptor.keyPath,
            let name = M.schema.attributeName(of: property)
        else {
            throw StoreError(
                .invalidQuery,
                "A sort descriptor of \(M.self) names no stored property.",
                advice: "Sort by a property that the schema declares."
            )
        }
        if let comparator = descriptor.stringComparator, comparator != .lexical {
            throw StoreError(
                .invalidQuery,
                "The sort descriptor of \"\(name)\" compares text by the rules of a language.",
                advice: "Pass comparator: .lexical, or sort the results yourself."
            )
        }
        self.init([name], descending: descriptor.order == .reverse)
    }
}
