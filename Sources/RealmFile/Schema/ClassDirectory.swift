/// Which class has which number in the file.
final class ClassDirectory: Sendable {
    private let indexes: [Int64: Int]
    /// Classes whose numbers cannot be read, by their places in the file, which are 16 bits of the numbers.
    private let lost: [Int64: Int]

    /// - Parameters:
    ///   - keys: the numbers of the classes, in their order.
    ///   - lost: the classes whose numbers cannot be read, by their places in the file.
    init(_ keys: [Int64], lost: [Int64: Int] = [:]) {
        self.lost = lost
        indexes = Dictionary(
            keys.enumerated().map { ($1, $0) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// The place of a class among all.
    func index(ofTable key: Int64, _ offset: Int) throws(RealmFileError) -> Int {
        guard let index = index(ofTable: key) else {
            throw RealmFileError(
                .damaged,
                "A link leads to class \(key), which is not there.",
                at: offset
            )
        }
        return index
    }

    /// The same, nil where there is no such class.
    func index(ofTable key: Int64) -> Int? {
        indexes[key] ?? (lost.isEmpty ? nil : lost[key & 0xffff])
    }
}
