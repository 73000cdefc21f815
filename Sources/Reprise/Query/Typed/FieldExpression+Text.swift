/// Text. Without options byte for byte; where there is no text every answer is no.
extension FieldExpression where V == String {
    /// Whether the text contains `part`; every text contains the empty one.
    public func contains(_ part: String, _ options: TextOptions = []) -> Filter<Subject> {
        Filter(.text(path, contains: part, options))
    }

    /// Whether the text begins with `prefix`; an index on the field serves it where no option is set.
    public func hasPrefix(_ prefix: String, _ options: TextOptions = []) -> Filter<Subject> {
        Filter(.text(path, startsWith: prefix, options))
    }

    /// Whether the text ends with `suffix`.
    public func hasSuffix(_ suffix: String, _ options: TextOptions = []) -> Filter<Subject> {
        Filter(.text(path, endsWith: suffix, options))
    }

    /// Whether the text is `text` but for what the options do not see.
    public func equals(_ text: String, _ options: TextOptions) -> Filter<Subject> {
        Filter(.text(path, .equals, text, options))
    }
}

extension FieldExpression where V == String? {
    /// Whether there is text and it contains `part`; every text contains the empty one.
    public func contains(_ part: String, _ options: TextOptions = []) -> Filter<Subject> {
        Filter(.text(path, contains: part, options))
    }

    /// Whether there is text and it begins with `prefix`; an index on the field serves it where no option is set.
    public func hasPrefix(_ prefix: String, _ options: TextOptions = []) -> Filter<Subject> {
        Filter(.text(path, startsWith: prefix, options))
    }

    /// Whether there is text and it ends with `suffix`.
    public func hasSuffix(_ suffix: String, _ options: TextOptions = []) -> Filter<Subject> {
        Filter(.text(path, endsWith: suffix, options))
    }

    /// Whether there is text and it is `text` but for what the options do not see.
    public func equals(_ text: String, _ options: TextOptions) -> Filter<Subject> {
        Filter(.text(path, .equals, text, options))
    }
}

extension FilterExpression {
    /// The plain form where no option is set, which an index may serve.
    static func text(_ path: FieldPath, contains part: String, _ options: TextOptions) -> Self {
        options.isEmpty ? .contains(path, .string(part)) : .text(path, .contains, part, options)
    }

    static func text(_ path: FieldPath, startsWith part: String, _ options: TextOptions) -> Self {
        options.isEmpty ? .startsWith(path, part) : .text(path, .startsWith, part, options)
    }

    static func text(_ path: FieldPath, endsWith part: String, _ options: TextOptions) -> Self {
        options.isEmpty ? .endsWith(path, part) : .text(path, .endsWith, part, options)
    }
}
