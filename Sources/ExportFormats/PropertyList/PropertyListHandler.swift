/// Receives the values of a property list in the order of the file. A key is empty inside an array
/// and for the root.
package protocol PropertyListHandler: AnyObject {
    /// A dictionary or an array begins. Returns whether its content is of interest; otherwise it is
    /// skipped, and `close` is not called for it.
    func open(_ container: PropertyListContainer, key: String) throws -> Bool

    /// The innermost container that was opened ends.
    func close() throws

    /// A value that holds no others.
    func scalar(_ scalar: PropertyListScalar, key: String) throws
}

package enum PropertyListContainer {
    case dictionary, array
}
