/// What the attributes of the open elements say of those within: the namespaces of prefixes, and the base of relative
/// URIs (Namespaces in XML 1.0; XML Base).
struct XMLScope {
    /// By prefix; the empty one is that of names without a prefix.
    private var namespaces: [String: String] = [:]
    /// What relative URIs go on from; nil where nothing says so.
    private(set) var base: String?

    /// - Parameters:
    ///   - attributes: of the element that opens, by their names as written.
    ///   - outer: the scope of the element that it is in.
    init(_ attributes: [String: String], in outer: XMLScope?) {
        if let outer { self = outer }
        for (name, value) in attributes {
            if name == "xmlns" {
                namespaces[""] = value
            } else if name.hasPrefix("xmlns:") {
                namespaces[String(name.dropFirst(6))] = value
            } else if name == "xml:base" {
                base = PlaylistLocation.joined(value, to: outer?.base)
            }
        }
    }

    /// The namespace of an element, empty where it has none, and its name without the prefix. A prefix that nothing
    /// explains is a namespace of its own.
    func resolved(_ name: String) -> (namespace: String, local: String) {
        guard let colon = name.firstIndex(of: ":") else { return (namespaces[""] ?? "", name) }
        let prefix = String(name[..<colon])
        return (namespaces[prefix] ?? prefix + ":", String(name[name.index(after: colon)...]))
    }
}
