/// A change of a store's content that no declaration says (STO-93). What makes it is known to the room of transactions.
protocol CodeChange: Sendable {
    /// The version of the schema that it leads to.
    var version: Int { get }
    /// Whether code of earlier versions can still work with the store afterwards.
    var keepsOlderCode: Bool { get }
}
