internal import RepriseLMDB
internal import RepriseLog

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Something that an application wrote into the log for itself, such as the record of a migration.
///
/// Annotations are no part of the state: a rollback does not take them back. Of several with the same name and key the
/// last one is found; all of them are in the log.
public struct Annotation: Sendable, Hashable {
    /// What kind of thing it is, as the application calls it.
    public let name: String
    /// Which one of its kind; may be empty.
    public let key: String
    /// The content, as the application wrote it.
    public let payload: [UInt8]
    /// The position of its event.
    public let position: Position
    /// The time of its commit.
    public let recordedAt: Date

    /// The most bytes that name and key may have together, each NUL counting twice.
    public static let keyByteCountMax = 480
    /// The most bytes of a payload.
    public static let payloadByteCountMax = 1 << 20
}

extension WriteTransaction {
    /// Writes an annotation into the log, as part of this commit.
    ///
    /// - Parameters:
    ///   - name: what kind of thing it is. Names that begin with `reprise.` are the library's own.
    ///   - key: which one of its kind; may be empty. Name and key have at most 480 bytes together.
    ///   - payload: the content, at most 1 MiB.
    /// - Returns: the position of its event.
    /// - Throws: `valueTooLarge`; `invalidIdentifier` for a name of the library's own.
    @discardableResult
    public mutating func annotate(
        name: String,
        key: String,
        payload: [UInt8]
    ) throws -> Position {
        try access.run {
            guard !name.hasPrefix("reprise.") else {
                throw StoreError(
                    .invalidIdentifier,
                    "The annotation \"\(name.prefix(40))\" has a name that is the library's own.",
                    advice: "Choose a name that does not begin with \"reprise.\"."
                )
            }
            return Position(try session.annotate(name: name, key: key, payload: payload))
        }
    }
}

extension WriteSession {
    /// Writes an annotation into the log. Returns the position of its event.
    func annotate(name: String, key: String, payload: [UInt8]) throws -> UInt64 {
        let labelKey = LabelKey.annotation(name, key: key)
        guard labelKey.count <= Annotation.keyByteCountMax + 5, payload.count <= Annotation.payloadByteCountMax else {
            throw StoreError(
                .valueTooLarge,
                "The annotation \"\(name.prefix(40))\" is too large.",
                advice: "Name and key have at most 480 bytes, the payload 1 MiB."
            )
        }
        let position = try record(.annotated) { writer in
            writer.counted(Array(name.utf8))
            writer.counted(Array(key.utf8))
            unsafe payload.withUnsafeBytes { unsafe writer.bytes($0) }
        }
        unsafe payload.withUnsafeBytes { payload in
            workspace.labels.set(
                labelKey,
                to: unsafe LabelValue.annotation(payload, at: position, time: timeMicroseconds, key: labelKey)
            )
        }
        return position
    }
}

/// An annotation as the views have it.
struct AnnotationLabel {
    let name: String
    let key: String
    let payload: [UInt8]
    let position: UInt64
    /// Microseconds since 1970.
    let time: Int64

    /// The last annotation of each key with a name, by the bytes of the keys.
    static func all(named name: String, _ labels: LabelScan) throws -> [AnnotationLabel] {
        try all(LabelKey.annotations(named: name), labels)
    }

    /// - Parameter prefix: what the keys of the labels begin with.
    static func all(_ prefix: [UInt8], _ scan: LabelScan) throws -> [AnnotationLabel] {
        guard prefix.count <= Table.keyByteCountMax else { return [] }
        var labels: [AnnotationLabel] = []
        unsafe try scan.forEach(prefix: prefix) { key, content in
            var content = content
            var parser = unsafe KeyParser(key, skipping: 1)
            let name = String(decoding: try parser.identifier(), as: UTF8.self)
            let annotationKey = String(decoding: try parser.identifier(), as: UTF8.self)
            let position = try content.u64()
            let time = Int64(bitPattern: try content.u64())
            let payload = unsafe [UInt8](content.rest())
            labels.append(
                AnnotationLabel(name: name, key: annotationKey, payload: payload, position: position, time: time)
            )
        }
        return labels
    }
}

extension StateReading where Self: ~Copyable {
    /// The last annotation with this name and key, or nil. Not the one at the position that is read: annotations are
    /// no part of the state.
    public func annotation(name: String, key: String) throws -> Annotation? {
        try annotations(LabelKey.annotation(name, key: key)).first
    }

    /// The last annotation of each key with this name, by the bytes of the keys.
    public func annotations(named name: String) throws -> [Annotation] {
        try annotations(LabelKey.annotations(named: name))
    }

    private func annotations(_ prefix: [UInt8]) throws -> [Annotation] {
        try access.run {
            try access.synchronize?()
            return try AnnotationLabel.all(prefix, access.workspace.labelScan).map { label in
                Annotation(
                    name: label.name,
                    key: label.key,
                    payload: label.payload,
                    position: Position(label.position),
                    recordedAt: Date(microsecondsSince1970: label.time)
                )
            }
        }
    }
}
