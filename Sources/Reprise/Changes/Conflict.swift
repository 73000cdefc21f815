extension ChangeSet {
    /// Something of what there is now that stands in the way of a change that is merged or taken back.
    ///
    /// *Ours* is the state of the store as it is now. *Theirs* is what the change wants. A conflict is a value:
    /// nothing is written while one is open, and all of them are known at once.
    public struct Conflict: Sendable, Hashable {
        /// What contradicts what.
        public enum Kind: Sendable, Hashable {
            /// Theirs changes an attribute from `base` to `theirs`, and it is `ours` by now.
            case changed(attribute: String, base: Value, ours: Value, theirs: Value)
            /// Theirs changes the entity, which is not there any more.
            case gone
            /// Theirs brings the entity back, and there is one with this identifier by now, with other values.
            case existing
            /// Theirs takes the entity away, and these attributes and lists of it have changed since.
            case changedSince([String])
            /// Theirs takes the entity away, and another one uses it by now, or still does: a to-one or a list of it
            /// leads
            /// there. `isDenied` says whether the relationship forbids the deletion.
            case used(by: EntityReference, relationship: String, isDenied: Bool)
            /// Another entity has the values by now, which may occur once.
            case taken(attributes: [String], by: EntityReference)
            /// Theirs leads to an entity that is not there.
            case missing(relationship: String, target: EntityReference)
            /// Theirs brings the entity back without a value that the schema requires by now.
            case lacking(attribute: String)
            /// Theirs moves the entry of `target` in a list, and it has been moved by now.
            case moved(list: String, target: EntityReference)
        }

        /// Which of two sides holds.
        public enum Side: Sendable, Hashable {
            /// What there is now stays.
            case ours
            /// The change happens all the same.
            case theirs
        }

        /// The entity that theirs is about; of an entry the owner of the list.
        public let entity: EntityReference
        /// What contradicts what.
        public let kind: Kind

        /// Whether ``Side/theirs`` can be chosen: a rule of the schema cannot be broken.
        public var canBeTheirs: Bool {
            switch kind {
            case .changed, .existing, .changedSince, .moved: true
            case .used(_, _, let isDenied): !isDenied
            case .gone, .taken, .missing, .lacking: false
            }
        }
    }

    /// How conflicts are settled.
    public struct Resolution: Sendable {
        let choose: @Sendable (ChangeSet.Conflict) -> ChangeSet.Conflict.Side?

        /// Leaves all of them open: where there is one, nothing is written.
        public static let none = ChangeSet.Resolution { _ in nil }
        /// What there is now stays, and the rest of the change happens.
        public static let ours = ChangeSet.Resolution { _ in .ours }
        /// The change happens all the same. A conflict that only ours can settle stays open.
        public static let theirs = ChangeSet.Resolution { _ in .theirs }

        /// Asks for each conflict, and once more where another process writes at that moment.
        ///
        /// - Parameter choose: gets a conflict and returns the side that holds; nil leaves it open.
        public static func each(_ choose: @escaping @Sendable (Conflict) -> Conflict.Side?) -> Resolution {
            ChangeSet.Resolution(choose: choose)
        }
    }
}

extension ChangeSet.Conflict: CustomStringConvertible {
    /// One sentence.
    public var description: String {
        switch kind {
        case .changed(let attribute, let base, let ours, let theirs):
            "\(attribute) of \(entity) was to go from \(base) to \(theirs), and is \(ours) by now."
        case .gone: "\(entity) was to be changed, and is not there any more."
        case .existing: "\(entity) was to be inserted, and there is another one with this identifier by now."
        case .changedSince(let names):
            "\(entity) was to go, and its \(names.joined(separator: ", ")) changed since."
        case .used(let user, let relationship, _):
            "\(entity) was to go, and \(user) uses it (\(relationship))."
        case .taken(let attributes, let holder):
            "\(entity) was to get a \(attributes.joined(separator: ", ")) that \(holder) has by now."
        case .missing(let relationship, let target):
            "\(relationship) of \(entity) was to lead to \(target), which is not there."
        case .lacking(let attribute):
            "\(entity) was to be inserted without a \(attribute), which is required by now."
        case .moved(let list, let target):
            "\(target) was to be moved in \(list) of \(entity), and has been moved since."
        }
    }
}
