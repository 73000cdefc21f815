internal import RepriseLog

/// The engine's name for an entity: the model's number and the identifier's bytes.
///
/// Bytes and not a `String`, because `String` calls two identifiers equal that differ in their Unicode normalisation.
struct EntityKey: Hashable {
    let model: UInt16
    let id: [UInt8]

    init(model: UInt16, id: [UInt8]) {
        self.model = model
        self.id = id
    }

    init(model: UInt16, id: String) {
        self.init(model: model, id: Array(id.utf8))
    }

    init(model: UInt16, id: UnsafeRawBufferPointer) {
        self.init(model: model, id: unsafe [UInt8](id))
    }

    /// The identifier as text. What is in a store was checked to be UTF-8 when it came in.
    var text: String { String(decoding: id, as: UTF8.self) }

    func hash(into hasher: inout Hasher) {
        hasher.combine(model)
        hasher.combine(bytesOf: id)
    }
}

/// Names one ordered list, or one set of backlinks: a relation and the entity that it belongs to.
struct ListKey: Hashable {
    let relation: UInt16
    let id: [UInt8]

    func hash(into hasher: inout Hasher) {
        hasher.combine(relation)
        hasher.combine(bytesOf: id)
    }
}

extension Hasher {
    /// Feeds all bytes at once: an array of them feeds one after the other.
    mutating func combine(bytesOf array: [UInt8]) {
        unsafe array.withUnsafeBytes { unsafe combine(bytes: $0) }
    }
}

/// One entry of an ordered list as the engine sees it.
struct ListEntry: Equatable {
    let orderKey: UInt64
    /// The position of the event that made the entry; 0 in lists whose members hold the reference themselves, where a
    /// member occurs once and is its own identity.
    let serial: UInt64
    let target: [UInt8]

    /// A number that no other entry of the list has, made of serial and target. A store and a copy of it may have given
    /// one serial to entries that lead to different rows.
    var identity: UInt64 { unsafe target.withUnsafeBytes { unsafe XXH64.hash($0, seed: serial) } }
}

extension ListKey {
    /// Whether its places come before those of another list.
    func precedes(_ other: ListKey) -> Bool {
        relation == other.relation ? id.lexicographicallyPrecedes(other.id) : relation < other.relation
    }
}
