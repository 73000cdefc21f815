import Reprise
import SQLiteFile

/// What the store's own model says of columns and tables, where the store holds it.
struct CoreDataNames {
    /// What a column of an entity's table is.
    struct Property {
        let name: String
        let form: ValueForm?
        /// The number of the entity that a to-one leads to.
        let target: Int64?
        let inverseName: String?
        let onDelete: DeleteRule
        let inverseOnDelete: DeleteRule
    }

    /// What a many-to-many relationship is.
    struct List {
        var name: String
        var inverseName: String?
        var onDelete: DeleteRule = .nullify
        var inverseOnDelete: DeleteRule = .nullify
    }

    let model: CoreDataModel?
    private let entities: CoreDataEntities

    init(_ entities: CoreDataEntities, _ model: CoreDataModel?) {
        self.entities = entities
        self.model = model
    }

    func property(_ column: String, of root: CoreDataEntities.Entity) -> Property? { nil }

    func list(_ join: CoreDataJoin) -> List {
        if join.isReflexive {
            return List(name: Self.name(join.memberColumn), inverseName: nil)
        }
        return List(name: Self.name(join.memberColumn), inverseName: Self.name(join.ownerColumn))
    }

    private static func name(_ column: String) -> String {
        SQLiteName.folded(CoreDataJoin.parts(column)?.name ?? column)
    }
}
