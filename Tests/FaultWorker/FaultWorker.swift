import FaultSupport
import Reprise

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Works on a store until it is killed, or does to it what must not be done in the tests' own process.
@main
struct FaultWorker {
    static func main() async throws {
        var arguments: [String: String] = [:]
        for argument in CommandLine.arguments.dropFirst() {
            let parts = argument.split(separator: "=", maxSplits: 1)
            arguments[String(parts[0])] = parts.count == 2 ? String(parts[1]) : ""
        }
        let input = Input(arguments)
        var work = KilledWork(input)
        switch input["do"] {
        case "write": try work.write()
        case "load": try work.load()
        case "replay": try work.replay()
        case "keep": try work.keepStates()
        case "create": try work.create()
        case "crowd": try await Crowd(input).write()
        case "crowd-limit": try await Crowd(input).writeUnderLimit()
        case "insert": try Neighbour(input).insert()
        case "rebuild": try Neighbour(input).replay()
        case "mutants": try MutantReading(input).run()
        case "forgeries": try ForgedReading(input).run()
        case "limit": try Limits(input).fileSize()
        case "openings": Openings(input).run()
        case "foreign": Limits(input).readAsNobody(until: input["go"])
        case "nobody": Limits(input).openAsNobody()
        case "declarations": try DamagedDeclarations(input).run()
        case "change": try SchemaWork(input).change()
        case "nobody-change": SchemaWork(input).readAsNobody()
        case "versions":
            var crowd = VersionCrowd(input)
            crowd.run()
        #if canImport(Glibc)
            case "record-change": try SchemaWork(input).record()
            case "refuse-change": try SchemaWork(input).refuse()
            case "refuse-rollback": try FarPastWork(input).rollBack()
            case "time-machine": try ChangeWork(input).run()
            case "large-changes": try LargeChanges(input).run()
            case "large-conflicts": try LargeChanges(input).runConflicts()
            case "large-list": try LargeChanges(input).runList()
            case "large-conversion": try LargeChanges(input).runConversion()
            case "large-merge": try LargeChanges(input).runMerge()
            case "large-lists": try LargeChanges(input).runLists()
            case "refuse-read": try FarPastWork(input).read()
            case "refuse-keep": try FarPastWork(input).keep()
        #endif
        default: exit(64)
        }
    }
}

/// The worker's arguments, `name=value` each.
struct Input {
    private let values: [String: String]

    init(_ values: [String: String]) {
        self.values = values
    }

    subscript(name: String) -> String { values[name] ?? "" }

    func number(_ name: String) -> Int { Int(self[name]) ?? 0 }
}
