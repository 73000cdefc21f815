import TestSupport

@testable import RealmFile

extension ForgedFile {
    /// The file with one object.
    /// - Parameters:
    ///   - leaf: the array with the property's value.
    ///   - type: of the property.
    ///   - attributes: likewise.
    mutating func finish(leaf: Int, type: RealmValueType, attributes: ColumnAttributes) -> [UInt8] {
        finish(
            rows: references([1 << 1 | 1, leaf]),
            type: Int64(type.rawValue),
            attributes: Int64(attributes.rawValue)
        )
    }
}
