/// Which links of a property of one object are handed on, where a damaged file is salvaged.
struct LinkFilter: Equatable {
    let rows: SalvagedRows
    let origin: Int64
    let column: LinkColumn

    static func == (left: Self, right: Self) -> Bool {
        left.rows === right.rows && left.origin == right.origin && left.column == right.column
    }

    /// A value without the links that are not handed on: null in place of them, left out of lists and sets of links.
    func sound(_ value: RealmValue) -> RealmValue {
        switch value {
        case .link(let link), .typedLink(let link): isRefused(link) ? .null : value
        case .list(let elements): .list(RealmElements(elements.place.restricted(self)))
        case .set(let elements): .set(RealmElements(elements.place.restricted(self)))
        case .dictionary(let entries):
            .dictionary(RealmDictionary(entries.place.restricted(self)))
        default: value
        }
    }

    /// The same of an element of a list or a set; nil where it is left out.
    func element(_ value: RealmValue) -> RealmValue? {
        if case .link(let link) = value, isRefused(link) { return nil }
        return sound(value)
    }

    private func isRefused(_ link: RealmLink) -> Bool {
        rows.refusal(link, from: origin, column) != nil
    }
}
