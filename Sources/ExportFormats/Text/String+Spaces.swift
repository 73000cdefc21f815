extension String {
    /// The text without white space at its beginning and its end.
    package var withoutSpacesAround: String {
        var rest = unicodeScalars[...]
        while let first = rest.first, first.properties.isWhitespace { rest.removeFirst() }
        while let last = rest.last, last.properties.isWhitespace { rest.removeLast() }
        return String(rest)
    }
}
