/// A source that takes values for more than they are stored as.
package protocol GuessingSource: LegacySource {
    /// The same export, which gives the values of some attributes as they are stored.
    ///
    /// - Parameter fields: the attributes, by model.
    func storedValues(of fields: [String: Set<String>]) -> Self
}
