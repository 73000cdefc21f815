/// Which row is to have which partner when several rows are updated together. Either side may say it; where two say
/// something else of the same row, the first counts, even where it is refused itself.
struct PartnerMatches {
    private struct Match {
        let partner: EntityKey?
        /// Which rows say so.
        var rows: [Int]
    }

    private var matches: [PartnerPlace: Match] = [:]

    /// Notes what a row wants.
    ///
    /// - Returns: a row that came before and wants something else of one of the two.
    mutating func add(_ wish: PartnerWish, of row: Int) -> Int? {
        var ends = [(place: wish.place, partner: wish.partner?.entity)]
        if let partner = wish.partner { ends.append((partner, wish.place.entity)) }
        var first: Int?
        for end in ends {
            if let match = matches[end.place], match.partner != end.partner {
                first = first ?? match.rows[0]
            } else {
                matches[end.place, default: Match(partner: end.partner, rows: [])].rows.append(row)
            }
        }
        return first
    }

    /// The rows by each of which alone this side of a one-to-one gets another partner.
    func rows(thatFill place: PartnerPlace) -> [Int] {
        guard let match = matches[place], match.partner != nil else { return [] }
        return match.rows
    }
}
