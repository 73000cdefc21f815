public import ExportFormats
public import LegacyMapping

extension RecordMapping.Target {
    /// The music library. Classes and properties without a rule are told by their names.
    public static let music = Self(MusicRules())
}

extension RecordMapping {
    /// Reads a mapping file (Specs/format/mapping.md).
    ///
    /// ```json
    /// {"target": "music",
    ///  "classes": {
    ///    "Song": {"model": "track", "id": "uuid",
    ///             "fields": {"songName": {"to": "title", "trim": true}, "cache": null}},
    ///    "Setting": null}}
    /// ```
    ///
    /// - Throws: ``LegacyError`` with the code `malformed`, and where in the file and why.
    /// - Complexity: O(bytes).
    public init(json bytes: [UInt8]) throws(LegacyError) {
        try self.init(json: bytes, targets: [MusicRules()])
    }
}
