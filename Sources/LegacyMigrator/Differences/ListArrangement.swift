import ExportFormats

/// A list in the order of an export, together with members that the export does not have.
///
/// Rows come to the end of a list, one after the other, so when they came shows only behind the last member of somebody
/// else. What stands before that one was there before: of it a longest common subsequence with the wanted order stays
/// where it is, and all else goes to a place that follows from it, whatever order it came in. What is arranged already
/// stays as it is.
struct ListArrangement {
    /// All members, each once.
    let members: [String]

    /// - Parameters:
    ///   - present: the members of the list, each once.
    ///   - wanted: members in the order of the export, each once; those that the list lacks count for nothing.
    /// - Complexity: O(n · log n).
    init(of present: [String], _ wanted: [String]) {
        let there = Set(present.map(ExactText.init))
        let wanted = wanted.filter { there.contains(ExactText($0)) }
        let names = Set(wanted.map(ExactText.init))
        guard let lastOther = present.lastIndex(where: { !names.contains(ExactText($0)) }) else {
            members = wanted
            return
        }
        let before = present[..<lastOther].filter { names.contains(ExactText($0)) }
        let steps = ListDifference(from: before, to: wanted).steps
        let staying = steps.indices.filter { if case .stay = steps[$0] { true } else { false } }
        // Each with what comes between it and the one that stays next; what comes after the last goes to the end.
        var following: [ExactText: ArraySlice<String>] = [:]
        for (place, next) in zip(staying, staying.dropFirst()) {
            following[ExactText(wanted[place])] = wanted[(place + 1)..<next]
        }
        let stayingMembers = Set(staying.map { ExactText(wanted[$0]) })
        var members = Array(wanted[..<(staying.first ?? 0)])
        for member in present[...lastOther] {
            let key = ExactText(member)
            guard stayingMembers.contains(key) || !names.contains(key) else { continue }
            members.append(member)
            members += following[key] ?? []
        }
        members += wanted[(staying.last.map { $0 + 1 } ?? 0)...]
        self.members = members
    }
}
