import ExportFormats
import LegacyRecords
import SQLiteFile

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Blobs that Core Data keeps in files of their own: a first byte 1 before the value itself, or 2 before the UUID, as
/// text that a zero ends, which is the name of the file.
enum ExternalData {
    static let inlineMark: UInt8 = 1
    static let fileMark: UInt8 = 2
    static let referenceByteCount = 38

    /// The name of the file, of nothing but hexadecimal digits and hyphens; nil for any other value.
    static func fileName(_ bytes: [UInt8]) -> String? {
        guard bytes.count == referenceByteCount, bytes[0] == fileMark, bytes[37] == 0 else {
            return nil
        }
        for (place, byte) in bytes[1..<37].enumerated() {
            let isHyphen = [8, 13, 18, 23].contains(place)
            let isDigit = (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte)
            guard isHyphen ? byte == UInt8(ascii: "-") : isDigit else { return nil }
        }
        return String(decoding: bytes[1..<37], as: UTF8.self)
    }
}

/// Reads what is kept in files of their own beside a store.
struct ExternalFiles {
    /// Where they are; nil for a database that has none.
    let directory: String?

    /// Throws where the directory is missing altogether, or behind a link: then every value in it would be taken for
    /// removed.
    func checkDirectory() throws(LegacyError) {
        guard let directory else { return }
        if ExportFile.isOwnFolder(directory) { return }
        if (try? FileManager.default.contentsOfDirectory(atPath: directory)) != nil {
            throw LegacyError(
                .notAFile,
                "The store keeps large values in files of their own, and \(directory) leads through a symbolic link, "
                    + "which is not followed.",
                advice: "Copy the hidden directory itself beside the store, in place of the link."
            )
        }
        throw LegacyError(
            .noSuchFile,
            "The store keeps large values in files of their own, and there is no directory \(directory) "
                + "that can be read.",
            advice:
                "Copy the hidden directory that stands beside the original store too, under the same name; an empty "
                + "one is enough to go on without what was in it."
        )
    }

    /// The bytes of a value; nil where they cannot be read, which is said.
    ///
    /// - Parameter place: what the value is called in warnings.
    func data(
        _ value: SQLiteValue,
        _ form: ValueForm,
        _ place: @autoclosure () -> String,
        _ report: LibraryReport
    ) throws -> Data? {
        guard case .blob(let bytes) = value else { return Data(ValueForm.text(value).utf8) }
        guard let name = ExternalData.fileName(bytes) else {
            guard form == .externalData, let first = bytes.first else { return Data(bytes) }
            if first == ExternalData.inlineMark { return Data(bytes.dropFirst()) }
            try report.warn(.ambiguousData) {
                "\(place()) does not begin as others in its column do; it was kept as it is."
            }
            return Data(bytes)
        }
        if let directory, let file = try? ExportFile(named: name, inOwnFolder: directory) {
            guard file.stamp.byteCount <= UInt64(LargeValues.storedByteCountMax) else {
                try report.warn(.oversizedValue) {
                    "\(place()) is kept in the file \(name), which has more than the "
                        + "\(LargeValues.storedMiBMax) MiB that a row of a store can have; it was left out."
                }
                return nil
            }
            return try content(of: file)
        }
        try report.warn(.missingExternalData) {
            "\(place()) is kept in the file \(name), which cannot be read beside the database, or is "
                + "no file but a link; it was left out."
        }
        return nil
    }

    private func content(of file: borrowing ExportFile) throws -> Data {
        var content = Data()
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { unsafe piece.deallocate() }
        while UInt64(content.count) < file.stamp.byteCount {
            let count = try unsafe file.read(into: piece)
            guard count > 0 else { break }
            unsafe content.append(contentsOf: piece[..<count])
        }
        return content
    }
}
