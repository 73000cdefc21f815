import Reprise

/// The values of a row by the names of attributes. Looked up one by one in the row itself, all of a wide one would take
/// the square of their number.
struct StoredValues {
    private let record: Record
    /// Where a value stands, in a row of many.
    private let places: [String: Int]?

    private static let searchedCountMax = 32

    init(_ record: Record) {
        self.record = record
        let isSearched = record.values.count <= Self.searchedCountMax
        let names = record.values.lazy.enumerated().map { ($1.name, $0) }
        places = isSearched ? nil : Dictionary(names, uniquingKeysWith: { first, _ in first })
    }

    /// The value of an attribute; `null` where there is none.
    subscript(name: String) -> Value {
        guard let places else { return record[name] }
        return places[name].map { record.values[$0].value } ?? .null
    }
}
