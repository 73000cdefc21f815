/// What a function makes of an attribute that is gone then.
package struct AuditConversion: Sendable {
    package let from: String
    package let to: String
    package let value: @Sendable (Datum) -> Datum

    package init(from: String, to: String, _ value: @escaping @Sendable (Datum) -> Datum) {
        self.from = from
        self.to = to
        self.value = value
    }
}
