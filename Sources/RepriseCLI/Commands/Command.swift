import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One use of the tool, with all its options decided: a value that a test can make and run.
protocol Command: Sendable {
    /// Whether it only asks the store, so that nothing is lost when it is ended anywhere.
    var isQuestion: Bool { get }

    /// Does the work, writing the answer to `console`.
    ///
    /// - Returns: `done`, or `no` when the answer is no.
    /// - Throws: `CommandFailure`, `StoreError` or `OutputError` when there is no answer.
    func run(in console: inout Console) throws -> Outcome
}

extension Command {
    var isQuestion: Bool { false }
}

/// A store that a command names by its path.
struct StoreLocation: Equatable, Sendable {
    /// Who the log says made a change with the tool.
    static let actor = "reprise"

    let path: String

    /// A command may take a fifth of a second more where that keeps a damaged file from giving wrong answers.
    static let checkedAtOpeningByteCountMax = 256 << 20

    enum Purpose { case reading, writing }

    /// Opens a store that exists, lends it to `body` and closes it. For reading, a store that cannot be written is
    /// opened for reading only.
    ///
    /// - Parameter checkedByteCountMax: up to which size of its file all its pages are checked first, in bytes.
    func open<R>(
        for purpose: Purpose,
        checkedByteCountMax: Int = checkedAtOpeningByteCountMax,
        _ body: (Store) throws -> R
    ) throws -> R {
        var configuration = Store.Configuration(
            actor: Self.actor,
            checkedAtOpeningByteCountMax: checkedByteCountMax
        )
        let store = try telling(purpose) {
            do {
                return try Store.open(existing: path, configuration: configuration)
            } catch let error as StoreError
                where error.code == .permissionDenied && purpose == .reading
            {
                configuration.readOnly = true
                return try Store.open(existing: path, configuration: configuration)
            }
        }
        defer { store.close() }
        return try body(store)
    }

    private var isFile: Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return attributes?[.type] as? FileAttributeType == .typeRegular
    }

    /// Runs what opens the store. Of a file it is said that it is one (CLI-09), and a store that may not be written is
    /// an output that cannot be created (CLI-19).
    func telling<R>(_ purpose: Purpose, _ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch let error as StoreError where error.code == .notAStore && isFile {
            throw CommandFailure(
                .badData,
                "\"\(DisplayWidth.visible(path))\" is a file; a store is a directory.",
                advice: "Name the directory of a store."
            )
        } catch let error as StoreError where error.code == .permissionDenied && purpose == .writing {
            throw CommandFailure(.cannotCreate, error.message, advice: error.advice)
        }
    }
}

extension SchemaDescription {
    /// The model of this name, for a name that somebody typed.
    ///
    /// - Throws: `CommandFailure` with a suggestion when there is none.
    func model(typed name: String) throws(CommandFailure) -> ModelDescription {
        if let model = model(named: name) { return model }
        let nearest = Spelling.nearest(to: name, in: models.map(\.name))
        throw CommandFailure(
            .usage,
            "The store has no model `\(DisplayWidth.visible(name))`.",
            advice: (nearest.map { "Did you mean \($0)? " } ?? "") + modelNames
        )
    }

    /// A sentence with the names of all models.
    var modelNames: String {
        models.isEmpty ? "It has none." : "It has \(Wording.list(models.map(\.name), "and"))."
    }
}

extension CommandFailure {
    /// The identifier is not there: an answer, not a fault.
    static func missing(_ entity: EntityReference) -> CommandFailure {
        CommandFailure(
            .no,
            "There is no \(entity.model) with the identifier \"\(DisplayWidth.visible(entity.id))\".",
            advice: "Look it up with `reprise fetch`."
        )
    }

    /// Ctrl-C before anything was changed.
    static let interrupted = CommandFailure(
        .interrupted,
        "Stopped as you asked; the store is as it was.",
        advice: "Run the same command to start again."
    )
}

extension Console {
    /// Writes one line of JSON.
    mutating func json(_ members: (inout JSONWriter) -> Void) throws(OutputError) {
        var writer = JSONWriter()
        writer.object(members)
        writer.endLine()
        try output.write(writer.bytes)
    }

    /// Tells a person at a terminal that an answer is empty (CLI-11).
    func noteNothing(_ text: String) {
        if diagnosticsTraits.isTerminal, !isQuiet { note(text) }
    }

    /// Writes lines of `name  value`, the values lined up.
    mutating func facts(_ facts: [(name: String, value: String)]) throws(OutputError) {
        let width = facts.map { DisplayWidth.of($0.name) }.max() ?? 0
        for fact in facts {
            let padding = String(repeating: " ", count: width - DisplayWidth.of(fact.name))
            let name = TextStyle.dim.applied(to: fact.name, in: outputTraits)
            try output.line("\(name)\(padding)  \(DisplayWidth.visible(fact.value))")
        }
    }
}

extension ProgressMeter {
    /// Shows how far the engine is; false when the user wants it to stop.
    func note(_ progress: ReplayProgress, _ interruption: Interruption) -> Bool {
        update(done: UInt64(progress.eventCount), total: UInt64(progress.totalCount))
        return !interruption.isRequested()
    }
}
