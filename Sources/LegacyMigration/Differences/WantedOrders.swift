/// The order that members shall have in the lists of their owners, gathered while an export is
/// read: twelve bytes a member where its identifier is sixteen upper-case hexadecimal digits.
struct WantedOrders {
    private var ordinals: [ContentKey: UInt32] = [:]
    private var owners: [String] = []
    private var members = LegacyReferences()
    private var ownerOfMember: [UInt32] = []

    /// Puts a member at the end of its owner's list.
    mutating func append(_ member: String, to owner: String) {
        let key = ContentKey([owner])
        let ordinal: UInt32
        if let known = ordinals[key] {
            ordinal = known
        } else {
            ordinal = UInt32(owners.count)
            ordinals[key] = ordinal
            owners.append(owner)
        }
        members.append(RecordKey(member))
        ownerOfMember.append(ordinal)
    }

    /// All lists, in the order in which their owners were first named. O(members).
    func grouped() -> WantedLists {
        var starts = [Int](repeating: 0, count: owners.count + 1)
        for ordinal in ownerOfMember { starts[Int(ordinal) + 1] += 1 }
        for ordinal in owners.indices { starts[ordinal + 1] += starts[ordinal] }
        var next = starts
        var places = [UInt32](repeating: 0, count: ownerOfMember.count)
        for (index, ordinal) in ownerOfMember.enumerated() {
            places[next[Int(ordinal)]] = UInt32(index)
            next[Int(ordinal)] += 1
        }
        return WantedLists(owners: owners, starts: starts, places: places, members: members)
    }
}

/// The lists of all owners, one after the other.
struct WantedLists {
    private let owners: [String]
    private let starts: [Int]
    private let places: [UInt32]
    private let members: LegacyReferences

    fileprivate init(
        owners: [String],
        starts: [Int],
        places: [UInt32],
        members: LegacyReferences
    ) {
        self.owners = owners
        self.starts = starts
        self.places = places
        self.members = members
    }

    var count: Int { owners.count }

    func owner(at index: Int) -> String { owners[index] }

    func memberCount(at index: Int) -> Int { starts[index + 1] - starts[index] }

    /// The members in order.
    func members(at index: Int) -> [String] {
        places[starts[index]..<starts[index + 1]].map { members[Int($0)] }
    }
}
