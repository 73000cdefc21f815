import Reprise

extension InventedCompany {
    /// What keeps a row from being written without its to-ones, to follow later.
    enum Bond {
        case none
        /// A person has to have a department.
        case needed
        /// No two people of one department have the same email, and a boss has one of each name.
        case unique
        /// A team has to have a lead, and there may be several with one.
        case leading
        /// All of it.
        case all
        /// Everybody has to have a boss.
        case bossed

        /// What every test goes through.
        static let allCases: [Bond] = [.none, .needed, .unique, .leading, .all]

        var schema: SchemaDescription {
            var schema = InventedCompany.schema
            if self == .needed || self == .all {
                schema.models[0].attributes[5].isOptional = false
                schema.relations[0].target.onDelete = .deny
            }
            if self == .unique || self == .all {
                schema.models[0].indexes += [
                    IndexDescription(number: 2, slots: [5, 1], isUnique: true),
                    IndexDescription(number: 3, slots: [6, 0], isUnique: true),
                ]
            }
            if self == .leading || self == .all {
                schema.models[2].attributes[1].isOptional = false
                schema.relations[3].target.onDelete = .deny
            }
            if self == .bossed {
                schema.models[0].attributes[6].isOptional = false
                schema.relations[1].target.onDelete = .deny
            }
            return schema
        }
    }
}
