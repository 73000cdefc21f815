/// How a query is answered, and what that took: for people who wonder why one is slow.
///
/// ```text
/// step            what                                       estimated  actual
/// index           note.topic, 1 stretch                            320     318
/// filter          1 condition on each row                           40      37
/// sort            the first 50 by title                                     37
/// result          at most 50                                        40      37
/// ```
public struct QueryExplanation: Sendable, CustomStringConvertible {
    /// One step, in the order in which they are taken.
    public struct Step: Sendable, Hashable {
        /// `nothing`, `identifier`, `scan`, `index`, `ordered index`, `list`, `lists`, `intersection`, `union`,
        /// `search`, `overlay`, `filter`, `sort` or `result`.
        public let name: String
        /// What the step works on, such as the name of an index.
        public let detail: String
        /// How many rows or entries were expected; nil where nothing was.
        public let estimated: Int?
        /// How many there were; nil where the query was not run.
        public let actual: Int?
    }

    /// The steps, in the order in which they are taken.
    public let steps: [Step]
    /// Whether rows were left alone because an index has all that was asked.
    public let isCovering: Bool

    /// The steps as a table.
    public var description: String {
        let cells =
            [["step", "what", "estimated", "actual"]]
            + steps.map { step in
                [
                    step.name,
                    step.detail,
                    step.estimated.map(String.init) ?? "",
                    step.actual.map(String.init) ?? "",
                ]
            }
        let widths = (0..<4).map { column in cells.map { $0[column].count }.max() ?? 0 }
        return cells.map { row in
            let padded = row.enumerated().map { column, cell in
                let space = String(repeating: " ", count: widths[column] - cell.count)
                return column < 2 ? cell + space : space + cell
            }
            let line = padded.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
        .joined(separator: "\n")
    }
}

extension QueryExecutor {
    /// Describes the plan; with the tally, where the query was run.
    func explanation(afterRun: Bool) -> QueryExplanation {
        var steps: [QueryExplanation.Step] = []
        func add(_ name: String, _ detail: String, _ estimated: Int?, _ actual: Int?) {
            steps.append(
                .init(
                    name: name,
                    detail: detail,
                    estimated: estimated,
                    actual: afterRun ? actual : nil
                )
            )
        }
        let (name, detail) = access
        let isEstimated = if case .members = plan.access { false } else { true }
        let visits = tally.entries > 0 ? tally.entries : tally.rows
        add(name, detail, isEstimated ? plan.estimatedVisits : nil, visits)
        if workspace.rows.count > 0 {
            add("overlay", "rows changed since", workspace.rows.count, workspace.rows.count)
        }
        let count = plan.residual.count
        if count > 0 {
            add(
                "filter",
                "\(count) \(count == 1 ? "condition" : "conditions") on each row",
                isEstimated ? plan.estimatedMatches : nil,
                tally.matched
            )
        }
        let names = zip(order.keys, query.sort).map { key, sort in
            "\(key.path)" + (sort.isDescending ? " descending" : "")
        }
        let keys = names.isEmpty ? "id" : names.joined(separator: ", ")
        switch plan.order {
        case .asFound: break
        case .sorted: add("sort", "by \(keys)", isEstimated ? plan.estimatedMatches : nil, tally.sorted)
        case .best(let count): add("sort", "the first \(count) by \(keys)", nil, tally.sorted)
        }
        var results = "all"
        if let limit = query.limit { results = "at most \(limit)" }
        if query.offset > 0 { results += " after \(query.offset)" }
        add(
            "result",
            results,
            isEstimated ? min(query.limit ?? .max, max(0, plan.estimatedMatches - query.offset)) : nil,
            tally.delivered
        )
        return QueryExplanation(steps: steps, isCovering: plan.isCovering)
    }

    private var access: (name: String, detail: String) {
        switch plan.access {
        case .nothing: ("nothing", "no row can match")
        case .identifiers(let ids):
            ("identifier", "\(model.name).id, \(ids.count) of them")
        case .scan(let range):
            range == .beginning(with: [UInt8(model.number >> 8), UInt8(model.number & 0xFF)])
                ? ("scan", "all of \(model.name)") : ("scan", "a stretch of \(model.name) by id")
        case .index(let span): ("index", name(of: span) + (plan.isCovering ? ", covering" : ""))
        case .ordered(let span, let isDescending):
            (
                "ordered index",
                name(of: span) + (isDescending ? ", backward" : "")
                    + (plan.isCovering ? ", covering" : "")
            )
        case .members(let list): ("list", list.end.own.name ?? list.end.displayName(in: workspace.schema.description))
        case .lists(let lists):
            ("lists", "\(lists.count) of relationships" + (plan.isCovering ? ", covering" : ""))
        case .search: ("search", "the words of \(model.name)")
        case .intersection(let spans):
            ("intersection", spans.map(name).joined(separator: " and "))
        case .union(let spans): ("union", spans.map(name).joined(separator: " or "))
        }
    }

    private func name(of span: IndexSpan) -> String {
        let attributes = span.index.slots.map { model.attribute(slot: $0)?.name ?? "?" }
        let count = span.ranges.count
        let stretches = count == 1 ? "1 stretch" : "\(count) stretches"
        return "\(model.name).\(attributes.joined(separator: "+")), \(stretches)"
    }
}
