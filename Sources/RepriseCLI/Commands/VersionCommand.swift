/// `reprise version`: which release this is.
struct VersionCommand: Command {
    var isJSON = false

    func run(in console: inout Console) throws -> Outcome {
        if isJSON {
            try console.json { $0.member("version", ReleaseVersion.number) }
        } else {
            try console.output.line(ReleaseVersion.line)
        }
        return .done
    }
}
