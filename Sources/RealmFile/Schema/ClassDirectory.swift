/// Which class has which number in the file.
final class ClassDirectory: Sendable {
    private let indexes: [Int64: Int]

    /// - Parameter keys: the numbers of the classes, in their order.
    init(_ keys: [Int64]) {
        indexes = Dictionary(
            keys.enumerated().map { ($1, $0) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// The place of a class among all.
    func index(ofTable key: Int64, _ offset: Int) throws(RealmFileError) -> Int {
        guard let index = indexes[key] else {
            throw RealmFileError(
                .damaged,
                "A link leads to class \(key), which is not there.",
                at: offset
            )
        }
        return index
    }

    /// The same, nil where there is no such class.
    func index(ofTable key: Int64) -> Int? { indexes[key] }
}
