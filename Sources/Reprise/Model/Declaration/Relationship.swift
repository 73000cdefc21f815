/// A to-many relationship: its name and all that is declared of it, said once.
///
/// ```swift
/// struct Folder: Model {
///     // The other side of the to-one `folder` of a note.
///     static let notes = Relationship<Folder, Note>("notes", inverse: \.folder, onDelete: .cascade)
///     static let schema = ModelSchema("folder", Self.init, .id("id", \.id)).toMany(notes)
/// }
/// struct Note: Model {
///     // A list of its own, which may hold a tag several times.
///     static let tags = Relationship<Note, Tag>("tags")
///     static let schema = ModelSchema("note", Self.init, .id("id", \.id), .toOne("folder", \.folder)).toMany(tags)
/// }
/// struct Tag: Model {
///     // The notes whose list holds the tag.
///     static let notes = Relationship<Tag, Note>("notes", inverseOf: Note.tags)
///     static let schema = ModelSchema("tag", Self.init, .id("id", \.id)).toMany(notes)
/// }
/// for entry in try transaction.entries(Folder.notes, of: folderID) { … }
/// ```
///
/// ``ModelSchema/toMany(_:)`` declares it. One that no schema declares is only a name: using it throws
/// `unknownRelationship` unless the schema declares a relationship of this name in another way.
public struct Relationship<Owner: Model, Target: Model>: Sendable {
    /// The stored name.
    public let name: String
    let declaration: ListDeclaration

    /// An ordered list that may hold an entity several times, and entities that stand in other lists, too.
    ///
    /// - Parameters:
    ///   - name: the stored name, which lives forever.
    ///   - earlierNames: the stored names that it had before, the latest first (STO-89).
    ///   - onDelete: what happens to the listed entities when the owner is deleted.
    public init(_ name: String, renamedFrom earlierNames: String..., onDelete: DeleteRule = .nullify) {
        self.init(name, earlierNames, onDelete)
    }

    /// The ordered list on the other side of a to-one, which may be nil.
    ///
    /// - Parameters:
    ///   - name: the stored name, which lives forever.
    ///   - inverse: the property of the target that is declared with `.toOne`.
    ///   - earlierNames: the stored names that it had before, the latest first (STO-89).
    ///   - onDelete: what happens to the listed entities when the owner is deleted.
    public init(
        _ name: String,
        inverse: any KeyPath<Target, Identifier<Owner>?> & Sendable,
        renamedFrom earlierNames: String...,
        onDelete: DeleteRule = .nullify
    ) {
        self.init(name, earlierNames, onDelete, property: inverse)
    }

    /// The ordered list on the other side of a to-one that is always set.
    ///
    /// - Parameters:
    ///   - name: the stored name, which lives forever.
    ///   - inverse: the property of the target that is declared with `.toOne`.
    ///   - earlierNames: the stored names that it had before, the latest first (STO-89).
    ///   - onDelete: what happens to the listed entities when the owner is deleted; not `nullify`.
    public init(
        _ name: String,
        inverse: any KeyPath<Target, Identifier<Owner>> & Sendable,
        renamedFrom earlierNames: String...,
        onDelete: DeleteRule
    ) {
        self.init(name, earlierNames, onDelete, property: inverse)
    }

    /// The derived other side of a list that may hold an entity several times: the entities in whose list the owner
    /// stands.
    ///
    /// - Parameters:
    ///   - name: the stored name, which lives forever.
    ///   - list: the list of the target.
    ///   - earlierNames: the stored names that it had before, the latest first (STO-89).
    ///   - onDelete: what happens to those entities when the owner is deleted.
    public init(
        _ name: String,
        inverseOf list: Relationship<Target, Owner>,
        renamedFrom earlierNames: String...,
        onDelete: DeleteRule = .nullify
    ) {
        self.init(name, earlierNames, onDelete, list: list.name)
    }

    private init(
        _ name: String,
        _ earlierNames: [String],
        _ onDelete: DeleteRule,
        property: (any AnyKeyPath & Sendable)? = nil,
        list: String? = nil
    ) {
        self.name = name
        declaration = ListDeclaration(
            name: name,
            earlierNames: earlierNames,
            target: ModelReference(Target.self),
            inverse: list,
            inverseProperty: property,
            isDerived: list != nil,
            onDelete: onDelete
        )
    }
}

/// The identity of one entry of an ordered list. It stays the same while the entry is moved, and lets the same target
/// stand in a list more than once.
public struct EntryID: Sendable, CustomStringConvertible {
    /// The position of the event that made the entry; 0 where a target can occur only once and is its own identity.
    public let serial: UInt64
    /// The identifier that the entry points to.
    public let target: String
    /// Where it stood when it was read, or 0: a hint of where to look first, and no part of the identity.
    let place: UInt64

    /// Makes the identity of an entry, as from one that a program has kept.
    ///
    /// - Parameters:
    ///   - serial: the position of the event that made the entry.
    ///   - target: the identifier that the entry points to.
    public init(serial: UInt64, target: String) {
        self.init(serial: serial, target: target, place: 0)
    }

    init(serial: UInt64, target: String, place: UInt64) {
        self.serial = serial
        self.target = target
        self.place = place
    }

    public var description: String { serial == 0 ? target : "\(target)#\(serial)" }
}

extension EntryID: Hashable {
    public static func == (left: EntryID, right: EntryID) -> Bool {
        left.serial == right.serial && left.target.utf8.elementsEqual(right.target.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(serial)
        for byte in target.utf8 { hasher.combine(byte) }
    }
}

/// One entry of an ordered list.
public struct Entry<Target: Model>: Sendable, Hashable {
    /// The identity of the entry: it tells two entries of one target apart.
    public let id: EntryID
    /// What the entry leads to.
    public let target: Identifier<Target>

    init(id: EntryID) {
        self.id = id
        target = Identifier(id.target)
    }
}

/// Where an entry goes in an ordered list. Places are named by entries and never by an index, which may be stale by the
/// time the change is made.
public enum Placement: Sendable, Hashable {
    /// Before all others.
    case first
    /// Behind all others.
    case last
    /// Directly before an entry.
    case before(EntryID)
    /// Directly behind an entry.
    case after(EntryID)
}
