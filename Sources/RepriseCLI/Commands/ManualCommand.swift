/// `reprise manual`: the manual page, made of the same texts as `--help` (CLI-18).
struct ManualCommand: Command {
    /// The help of all commands as ArgumentParser writes it: `ToolInfoV0` of its `ArgumentParserToolInfo`.
    var help: String

    func run(in console: inout Console) throws -> Outcome {
        let command = try JSONValue(parsing: help)["command"]
        var page = ManualPage()
        page.request("TH", "REPRISE", "1", "", ReleaseVersion.line, "User Commands")
        page.request("SH", "NAME")
        page.paragraph("reprise - \(command.text("abstract"))")
        page.request("SH", "SYNOPSIS")
        page.paragraph("reprise <command> <store> … [--json] [--quiet]")
        page.request("SH", "DESCRIPTION")
        page.text(command.text("discussion"))
        page.request("SH", "COMMANDS")
        for subcommand in command.list("subcommands") { Self.write(subcommand, "reprise", to: &page) }
        page.request("SH", "FILES")
        page.paragraph("A store is a directory with the files data.mdb and lock.mdb.")
        page.request("SH", "ENVIRONMENT")
        page.paragraph(
            "PAGER: the program through which long answers are read on a terminal; empty for none. "
                + "NO_COLOR: no bold and no colours. COLUMNS: the width of a terminal that does not tell its own."
        )
        try console.output.write(Array(page.roff.utf8))
        return .done
    }

    private static func write(_ command: JSONValue, _ path: String, to page: inout ManualPage) {
        let name = command.text("commandName")
        if name == "help" { return }
        let path = "\(path) \(name)"
        let subcommands = command.list("subcommands").filter { $0.text("commandName") != "help" }
        guard subcommands.isEmpty else {
            for subcommand in subcommands { write(subcommand, path, to: &page) }
            return
        }
        let arguments = command.list("arguments").filter { $0["shouldDisplay"] == .bool(true) }
            .filter { !["help", "version"].contains($0["preferredName"].text("name")) }
        page.request("SS", ([path] + arguments.map(synopsis)).joined(separator: " "))
        page.paragraph(command.text("abstract"))
        page.text(command.text("discussion"))
        for argument in arguments {
            page.request("TP")
            page.line(synopsis(argument).filter { !"[]".contains($0) })
            let texts = [argument.text("abstract"), argument.text("discussion")].filter { !$0.isEmpty }
            page.line(texts.isEmpty ? "-" : texts.joined(separator: " "))
        }
    }

    /// `<store>`, `[--limit <count>]`, `[--json]`
    private static func synopsis(_ argument: JSONValue) -> String {
        let value = "<\(argument.text("valueName"))>"
        let name = "--\(argument["preferredName"].text("name"))"
        let text =
            switch argument.text("kind") {
            case "positional": value
            case "option": "\(name) \(value)"
            default: name
            }
        let repeated = argument["isRepeating"] == .bool(true) ? "\(text) …" : text
        return argument["isOptional"] == .bool(true) ? "[\(repeated)]" : repeated
    }
}

extension JSONValue {
    /// A member of an object; null where there is none.
    fileprivate subscript(name: String) -> JSONValue {
        guard case .object(let members) = self else { return .null }
        return members.first { $0.name == name }?.value ?? .null
    }

    fileprivate func text(_ name: String) -> String {
        if case .string(let text) = self[name] { text } else { "" }
    }

    fileprivate func list(_ name: String) -> [JSONValue] {
        if case .array(let elements) = self[name] { elements } else { [] }
    }
}
