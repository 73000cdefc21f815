/// Which stored things declared ones are, by their names of now and of before (STO-89).
///
/// A declared thing is the stored one of its name that has been renamed already, else the stored one whose names so far
/// are the end of its own list, else the stored one that has its latest earlier name, else the stored one of its name.
/// Of the first two the one counts whose list is there as a whole.
/// So names may be exchanged, or handed on, in one version, and any version comes to the newest in one step.
struct NameMatching {
    struct Names {
        let name: String
        let earlier: [String]
    }

    /// The place among the stored things of each declared one; nil where it is new.
    private(set) var places: [Int?]
    private var taken: Set<Int> = []

    init(declared: [Names], stored: [Names]) {
        places = Array(repeating: nil, count: declared.count)
        let byName = Dictionary(
            stored.enumerated().map { ($0.element.name, $0.offset) },
            uniquingKeysWith: { first, _ in first }
        )
        func match(_ isWanted: (Names) -> Bool, _ find: (Names) -> Int?) {
            for (place, names) in declared.enumerated() where places[place] == nil && isWanted(names) {
                guard let found = find(names), taken.insert(found).inserted else { continue }
                places[place] = found
            }
        }
        func isRenamed(_ names: Names) -> Bool { !names.earlier.isEmpty }
        /// The stored thing whose names so far are the end of the list.
        func origin(of names: Names, where isWanted: (Names) -> Bool) -> Int? {
            for (place, name) in names.earlier.enumerated() {
                guard let found = byName[name], !taken.contains(found), isWanted(stored[found]) else { continue }
                if names.earlier[(place + 1)...].elementsEqual(stored[found].earlier) { return found }
            }
            return nil
        }
        // Names that were exchanged several times are on several lists: whole lists come first.
        match(isRenamed) { names in
            byName[names.name].flatMap { stored[$0].earlier == names.earlier ? $0 : nil }
        }
        match(isRenamed) { origin(of: $0, where: isRenamed) }
        match(isRenamed) { names in
            byName[names.name].flatMap { Set(names.earlier).isSubset(of: stored[$0].earlier) ? $0 : nil }
        }
        match(isRenamed) { origin(of: $0) { _ in true } }
        match(isRenamed) { names in
            names.earlier.compactMap { byName[$0] }.first { !taken.contains($0) }
        }
        match({ _ in true }) { byName[$0.name] }
    }

    /// The places of the stored things that no declared one is.
    func gone(of count: Int) -> [Int] { (0..<count).filter { !taken.contains($0) } }

    /// The earlier names of a thing that has a new declaration, without its name of now.
    static func merged(_ declared: Names, _ stored: Names) -> [String] {
        // All that is said, with names that it had twice, where it leads on from what is stored.
        if declared.earlier.suffix(stored.earlier.count + 1).elementsEqual([stored.name] + stored.earlier) {
            return declared.earlier
        }
        var names = stored.earlier
        if stored.name != declared.name { names.insert(stored.name, at: 0) }
        for name in declared.earlier where !names.contains(name) { names.append(name) }
        return names
    }
}

extension ModelDescription {
    var names: NameMatching.Names { .init(name: name, earlier: earlierNames) }
}

extension AttributeDescription {
    var names: NameMatching.Names { .init(name: name, earlier: earlierNames) }
}

extension RelationDescription.End {
    var names: NameMatching.Names { .init(name: name ?? "", earlier: earlierNames) }
}
