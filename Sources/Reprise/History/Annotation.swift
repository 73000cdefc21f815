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
    /// - Returns: the position of its event.
    /// - Throws: `valueTooLarge`.
    @discardableResult
    public mutating func annotate(
        name: String,
        key: String,
        payload: [UInt8]
    ) throws -> Position {
        try access.run {
            let labelKey = LabelKey.annotation(name, key: key)
            guard labelKey.count <= Annotation.keyByteCountMax + 5,
                payload.count <= Annotation.payloadByteCountMax
            else {
                throw StoreError(
                    .valueTooLarge,
                    "The annotation \"\(name.prefix(40))\" is too large.",
                    advice: "Name and key have at most 480 bytes, the payload 1 MiB."
                )
            }
            let position = try session.record(.annotated) { writer in
                writer.counted(Array(name.utf8))
                writer.counted(Array(key.utf8))
                unsafe payload.withUnsafeBytes { unsafe writer.bytes($0) }
            }
            unsafe payload.withUnsafeBytes { payload in
                access.workspace.labels.set(
                    labelKey,
                    to:
                        unsafe LabelValue.annotation(
                            payload,
                            at: position,
                            time: session.timeMicroseconds,
                            key: labelKey
                        )
                )
            }
            return Position(position)
        }
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
            guard prefix.count <= Table.keyByteCountMax else { return [] }
            var annotations: [Annotation] = []
            unsafe try access.workspace.labelScan.forEach(prefix: prefix) { key, content in
                var content = content
                var parser = unsafe KeyParser(key, skipping: 1)
                let name = String(decoding: try parser.identifier(), as: UTF8.self)
                let annotationKey = String(decoding: try parser.identifier(), as: UTF8.self)
                let position = try content.u64()
                let time = Int64(bitPattern: try content.u64())
                annotations.append(
                    Annotation(
                        name: name,
                        key: annotationKey,
                        payload: unsafe [UInt8](content.rest()),
                        position: Position(position),
                        recordedAt: Date(microsecondsSince1970: time)
                    )
                )
            }
            return annotations
        }
    }
}
