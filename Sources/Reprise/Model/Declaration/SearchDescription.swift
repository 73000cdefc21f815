/// The index of the words of a model's attributes: see `Specs/format/schema.md` and `Specs/behaviour/search.md`.
public struct SearchDescription: Sendable, Hashable {
    /// One attribute whose words are indexed.
    public struct Field: Sendable, Hashable {
        /// The slot of the attribute, which holds text.
        public var slot: Int
        /// How much a word here counts against a word elsewhere, from 1 to 255.
        public var weight: UInt8

        /// Creates a field.
        public init(slot: Int, weight: UInt8) {
            self.slot = slot
            self.weight = weight
        }
    }

    /// The most attributes of one search index.
    static let fieldCountMax = 16
    /// How text is folded and cut into words (`Specs/format/folding.md`).
    static let tokenizer: UInt8 = 1

    /// The number in index keys; no other index of the schema has it.
    public var number: UInt16
    /// The attributes, by declaration.
    public var fields: [Field]

    /// Creates the description of a search index.
    public init(number: UInt16, fields: [Field]) {
        self.number = number
        self.fields = fields
    }
}
