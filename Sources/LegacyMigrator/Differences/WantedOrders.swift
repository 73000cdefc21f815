import ExportFormats
import LegacyRecords

/// The order that members shall have in the lists of their owners, gathered while an export is
/// read: twelve bytes a member where its identifier is sixteen upper-case hexadecimal digits; beyond a
/// ``RecordMemory`` on disk.
final class WantedOrders {
    private let memory: RecordMemory
    private let ordinals: RememberedMap<ContentKey>
    private let owners: RememberedIdentifiers
    private let members: RememberedIdentifiers
    private var ownerOfMember: [UInt32] = []
    private var room = ArrayRoom(stride: MemoryLayout<UInt32>.stride)
    /// Which members are whose, once there is no room to know it in memory.
    private var places: PlaceTable?

    init(in memory: RecordMemory) {
        self.memory = memory
        ordinals = RememberedMap(in: memory)
        owners = RememberedIdentifiers(in: memory)
        members = RememberedIdentifiers(in: memory)
    }

    deinit {
        room.giveBack(to: memory)
    }

    /// Puts a member at the end of its owner's list.
    ///
    /// - Throws: ``LegacyError`` with the code `inputOutput` where what does not fit into memory cannot be put aside.
    func append(_ member: String, to owner: String) throws(LegacyError) {
        let ordinal = try ordinal(of: owner)
        if places == nil, let small = UInt32(exactly: ordinal),
            room.prepare(&ownerOfMember, for: 1, in: memory)
        {
            ownerOfMember.append(small)
        } else {
            try openPlaces().insert(members.count, of: ordinal)
        }
        try members.append(RecordKey(member))
    }

    private func ordinal(of owner: String) throws(LegacyError) -> Int {
        let key = ContentKey([owner])
        if case .number(let known)? = try ordinals.value(of: key) { return Int(known) }
        let ordinal = owners.count
        try ordinals.updateValue(.number(UInt64(ordinal)), of: key)
        try owners.append(RecordKey(owner))
        return ordinal
    }

    /// Moves what is known of places to a table.
    private func openPlaces() throws(LegacyError) -> PlaceTable {
        if let places { return places }
        let table = try PlaceTable(in: memory)
        for (place, ordinal) in ownerOfMember.enumerated() {
            try table.insert(place, of: Int(ordinal))
        }
        ownerOfMember = []
        room.giveBack(to: memory)
        places = table
        return table
    }

    /// All lists, in the order in which their owners were first named. O(members). They are those of this moment: none
    /// may be added as long as they are used.
    func grouped() throws(LegacyError) -> WantedLists {
        if places == nil,
            let sorted = WantedLists.Sorted(ownerOfMember, ownerCount: owners.count, in: memory)
        {
            return WantedLists(owners: owners, members: members, .memory(sorted))
        }
        return WantedLists(owners: owners, members: members, .table(try openPlaces()))
    }
}

/// The lists of all owners, one after the other.
struct WantedLists {
    /// Where the members of each list are among all members.
    fileprivate enum Places {
        case memory(Sorted)
        case table(PlaceTable)
    }

    /// The places of members, sorted by their owners.
    fileprivate final class Sorted {
        private let memory: RecordMemory
        private let byteCount: Int
        private let starts: [Int]
        private let places: [UInt32]

        /// Nil where there is no room.
        init?(_ ownerOfMember: [UInt32], ownerCount: Int, in memory: RecordMemory) {
            byteCount =
                2 * (ownerCount + 1) * MemoryLayout<Int>.stride
                + ownerOfMember.count * MemoryLayout<UInt32>.stride
            guard memory.take(byteCount) else { return nil }
            self.memory = memory
            var starts = [Int](repeating: 0, count: ownerCount + 1)
            for ordinal in ownerOfMember { starts[Int(ordinal) + 1] += 1 }
            for ordinal in 0..<ownerCount { starts[ordinal + 1] += starts[ordinal] }
            var next = starts
            var places = [UInt32](repeating: 0, count: ownerOfMember.count)
            for (index, ordinal) in ownerOfMember.enumerated() {
                places[next[Int(ordinal)]] = UInt32(index)
                next[Int(ordinal)] += 1
            }
            self.starts = starts
            self.places = places
        }

        deinit {
            memory.giveBack(byteCount)
        }

        func places(of owner: Int) -> ArraySlice<UInt32> {
            places[starts[owner]..<starts[owner + 1]]
        }
    }

    private let owners: RememberedIdentifiers
    private let members: RememberedIdentifiers
    private let places: Places

    fileprivate init(
        owners: RememberedIdentifiers,
        members: RememberedIdentifiers,
        _ places: Places
    ) {
        self.owners = owners
        self.members = members
        self.places = places
    }

    var count: Int { owners.count }

    func owner(at index: Int) throws(LegacyError) -> String { try owners.key(at: index).text }

    /// The members in order.
    func members(at index: Int) throws(LegacyError) -> [String] {
        var texts: [String] = []
        try forEachMember(at: index) { key throws(LegacyError) in
            texts.append(key.text)
            return true
        }
        return texts
    }

    /// The members in order, for lists of any length.
    func identifiers(
        at index: Int,
        in memory: RecordMemory
    ) throws(LegacyError) -> RememberedIdentifiers {
        let identifiers = RememberedIdentifiers(in: memory)
        try forEachMember(at: index) { key throws(LegacyError) in
            try identifiers.append(key)
            return true
        }
        return identifiers
    }

    /// Hands over the members in order until `body` returns false.
    private func forEachMember(
        at index: Int,
        _ body: (RecordKey) throws(LegacyError) -> Bool
    ) throws(LegacyError) {
        switch places {
        case .memory(let sorted):
            for place in sorted.places(of: index) {
                guard try body(try members.key(at: Int(place))) else { return }
            }
        case .table(let table):
            try table.forEachPlace(of: index) { place throws(LegacyError) in
                try body(try members.key(at: place))
            }
        }
    }
}
