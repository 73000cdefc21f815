import ExportFormats
import SQLiteFile

/// The entities of a Core Data store, as its table `Z_PRIMARYKEY` lists them.
struct CoreDataEntities {
    struct Entity: Sendable, Equatable {
        let number: Int64
        let name: String
        /// The entity that it inherits from, 0 for none.
        let superNumber: Int64
    }

    /// By ascending numbers.
    let entities: [Entity]
    private let byNumber: [Int64: Entity]
    private let rootNumbers: [Int64: Int64]
    private let families: [Int64: [Int64: String]]

    /// How many there may be.
    private static let countMax = 5000
    /// The entities of the history, which holds no values.
    private static let historyNumbers: ClosedRange<Int64> = 16_000...17_000

    init(_ database: SQLiteDatabase) throws {
        let rows = try database.prepare(
            "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY ORDER BY Z_ENT"
        )
        var entities: [Entity] = []
        while try rows.step() {
            guard case .integer(let number) = rows.value(at: 0),
                case .text(let name) = rows.value(at: 1),
                !Self.historyNumbers.contains(number)
            else { continue }
            var parent: Int64 = 0
            if case .integer(let value) = rows.value(at: 2) { parent = value }
            entities.append(Entity(number: number, name: name, superNumber: parent))
            guard entities.count <= Self.countMax else {
                throw LegacyError(
                    .limitExceeded,
                    "The store has more than \(Self.countMax) entities.",
                    advice: "Such a store is not read."
                )
            }
        }
        self.entities = entities
        let byNumber = Dictionary(
            entities.map { ($0.number, $0) },
            uniquingKeysWith: { first, _ in first }
        )
        var rootNumbers: [Int64: Int64] = [:]
        var families: [Int64: [Int64: String]] = [:]
        for entity in entities {
            guard let root = Self.root(of: entity, byNumber) else { continue }
            rootNumbers[entity.number] = root.number
            families[root.number, default: [:]][entity.number] = entity.name
        }
        self.byNumber = byNumber
        self.rootNumbers = rootNumbers
        self.families = families
    }

    private static func root(of entity: Entity, _ byNumber: [Int64: Entity]) -> Entity? {
        var found = entity
        for _ in 0..<64 {
            if found.superNumber == 0 { return found }
            guard let parent = byNumber[found.superNumber] else { return nil }
            found = parent
        }
        return nil
    }

    subscript(number: Int64) -> Entity? { byNumber[number] }

    /// The entity in whose table the rows of another one are; nil for an unknown one, or where entities inherit from
    /// each other in a circle.
    func root(of number: Int64) -> Entity? {
        rootNumbers[number].flatMap { byNumber[$0] }
    }

    /// The entities that have a table of their own.
    var roots: [Entity] { entities.filter { $0.superNumber == 0 } }

    /// The entity and those that inherit from it, by number.
    func family(of root: Entity) -> [Int64: String] {
        families[root.number] ?? [:]
    }
}
