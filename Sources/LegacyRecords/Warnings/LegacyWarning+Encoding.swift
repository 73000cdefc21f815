package import ExportFormats

extension LegacyWarning {
    /// Says which encoding a text was read in.
    package init(_ note: EncodingNote) {
        self.init(kind: note.isMixed ? .invalidText : .guessedEncoding, message: note.message)
    }
}
