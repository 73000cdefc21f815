internal import RepriseLMDB

/// One set of the tables that are folded from the log. A store has two: one serves, the other is where a rebuild
/// happens until it is swapped in (Specs/format/views.md).
struct ViewTables {
    let rows: Table
    let index: Table
    let edges: Table
    let backlinks: Table
    let tombstones: Table
    let labels: Table

    init(set: ViewSet, named find: (String) -> Table) {
        func table(_ name: String) -> Table { find("\(name).\(set.rawValue)") }
        rows = table("rows")
        index = table("index")
        edges = table("edges")
        backlinks = table("backlinks")
        tombstones = table("tombstones")
        labels = table("labels")
    }

    var all: [Table] { [rows, index, edges, backlinks, tombstones, labels] }
}

/// Which of the two sets of view tables.
enum ViewSet: String, CaseIterable, Sendable {
    case a, b

    var other: ViewSet { self == .a ? .b : .a }
}

/// All tables of a store.
struct StoreTables {
    let log: Table
    let state: Table
    private let setA: ViewTables
    private let setB: ViewTables

    static let viewNames = ["rows", "index", "edges", "backlinks", "tombstones", "labels"]
    static let names =
        ["log", "state"]
        + ViewSet.allCases.flatMap { set in viewNames.map { "\($0).\(set.rawValue)" } }

    init(_ environment: Environment) {
        self.init { environment.table($0) }
    }

    /// The tables of an environment that is being made.
    init(_ tables: [String: Table]) {
        self.init { name in
            guard let table = tables[name] else {
                preconditionFailure("An environment is made with all tables of a store.")
            }
            return table
        }
    }

    private init(named find: (String) -> Table) {
        log = find("log")
        state = find("state")
        setA = ViewTables(set: .a, named: find)
        setB = ViewTables(set: .b, named: find)
    }

    subscript(_ which: ViewSet) -> ViewTables { which == .a ? setA : setB }
}
