import ArgumentParser
import Foundation
import MusicLibrary
import Reprise
import Testing

@testable import RepriseCLI

/// What only the whole program shows: bytes of its arguments, signals, limits of its process.
@Suite(.enabled(if: Program.path != nil, "The command has not been built beside the tests."))
struct ProgramTests {
    private let store: TestStore

    init() throws {
        store = try TestStore()
    }

    @Test(
        arguments: [
            (#"put "$1" author --id "$(printf 'A\351')" name=x"#, "Argument 5, \"A\u{FFFD}\","),
            (#"put "$1" author --id x "name=$(printf '\350')""#, "Argument 6, \"name=\u{FFFD}\","),
            (#"fetch "$(printf '\377')" author"#, "Argument 2, \"\u{FFFD}\","),
            (#"export "$1" --output "$1-$(printf 'a\033\351')""#, "␛\u{FFFD}\","),
        ]
    )
    func `words that are no UTF-8 are refused and not taken for one another`(
        _ words: String,
        _ place: String
    ) throws {
        let before = store.run("export").output
        let (ending, text) = try Program.shell("\"$0\" \(words) 2>&1", store.path)
        #expect(ending == .exited(64))
        #expect(text.hasPrefix("Error: Argument ") && text.contains(place))
        #expect(
            text.hasSuffix(
                " is not UTF-8. Write it in UTF-8; a file or directory with such a name has to be renamed first.\n"
            )
        )
        #expect(store.run("export").output == before)
    }

    @Test func `a limit on the size of files is an error in two sentences and loses nothing`()
        throws
    {
        let before = store.run("export").output
        let file = URL(fileURLWithPath: store.path).appendingPathComponent("data.mdb")
        let byteCount = try Data(contentsOf: file).count
        let (ending, text) = try Program.shell(
            """
            ulimit -f \(byteCount / 512)
            "$0" put "$1" author --id x "name=$(head -c 100000 /dev/zero | tr '\\0' x)" 2>&1
            """,
            store.path
        )
        #expect(ending == .exited(74))
        #expect(text.hasPrefix("Error: ") && text.contains("limit on the size of files"))
        #expect(text.filter { $0 == "\n" }.count == 1)
        #expect(store.run("export").output == before)
        #expect(store.run("verify", "--in-this-process").outcome == .done)
    }

    @Test func `too many open files are told as such`() throws {
        let (ending, text) = try Program.shell(
            #"exec 2>&1 3>&-; ulimit -n 4; exec "$0" stats "$1""#,
            store.path
        )
        #expect(ending == .exited(74))
        #expect(text.hasPrefix("Error: Too many files are open already"))
    }

    /// More than a pipe and the buffers before it hold.
    private func fill() throws {
        let store = try Store.open(existing: store.path)
        defer { store.close() }
        try store.write { transaction in
            for number in 0..<400 {
                let name = String(repeating: "\(number % 10)", count: 10_000)
                try transaction.insert(Author(id: .init("\(number)"), name: name))
            }
        }
    }

    /// Runs an export that waits for its reader, lets something happen, and gives the exit code of the export as the
    /// shell's and its standard error as the output.
    private func duringExport(
        _ happening: String,
        of command: String = #"export "$1""#
    ) throws -> (ending: ChildProcess.Ending, output: String) {
        try fill()
        return try Program.shell(
            """
            mkfifo "$2/pipe"
            "$0" \(command) >"$2/pipe" 2>"$2/errors" &
            exec 3<"$2/pipe"
            dd bs=1 count=1 <&3 >"$2/first" 2>"$2/rest"
            \(happening)
            wait $!
            code=$?
            cat "$2/errors"
            exit $code
            """,
            store.path,
            store.directory.path
        )
    }

    private static func sentences(_ signal: String) -> String {
        "reprise: Reading the store's file, or an export, ended in \(signal): it is damaged where no check reaches. "
            + "Run `reprise verify` on the store to see where, and go back to a copy.\n"
    }

    @Test func `a file that is cut short while it is read is told and is bad data`() throws {
        let (ending, text) = try duringExport(
            #"dd if="$2/rest" of="$1/data.mdb" bs=8192 seek=1 count=0 2>"$2/rest"; cat <&3 >"$2/rest""#
        )
        #expect(ending == .exited(65))
        #expect(text == Self.sentences("SIGBUS"))
    }

    @Test(arguments: ["ILL", "TRAP"])
    func `a check of the program that fails is no fault of the store`(_ signal: String) throws {
        let (ending, text) = try duringExport("kill -\(signal) $!")
        #expect(ending == .exited(65))
        let words = "reprise: A check of the program itself failed (SIG\(signal)). That is a mistake in reprise"
        #expect(text.hasPrefix(words))
    }

    @Test(arguments: ["SEGV", "BUS", "ABRT", "FPE", "SYS"])
    func `a signal that a damaged file ends in is named and is bad data`(_ signal: String) throws {
        let (ending, text) = try duringExport("kill -\(signal) $!")
        #expect(ending == .exited(65))
        #expect(text == Self.sentences("SIG" + signal))
    }

    /// QRY-34. It waits for its reader, where it does not look for signals.
    @Test(arguments: ["TERM", "INT"], [#"fetch "$1" author --json"#, #"export "$1""#])
    func `one signal ends a question wherever it is`(_ signal: String, _ command: String) throws {
        let (ending, _) = try duringExport("kill -\(signal) $!", of: command)
        #expect(ending == .exited(128 + (signal == "TERM" ? SIGTERM : SIGINT)))
    }

    /// What stands in the help of a subcommand under `Examples:`.
    private func examples(_ command: any ParsableCommand.Type) throws -> String {
        let discussion = command.configuration.discussion
        let heading = try #require(discussion.firstRange(of: "Examples:\n"))
        return String(discussion[heading.upperBound...])
    }

    /// The number of the entry that is taken out is not the one in the help.
    private func unlinking(_ examples: String) -> String {
        examples.replacing(
            "'2B44#30'",
            with: #""$("$program" unlink music playlist 7A31 tracks 2B44 2>&1 | grep -o '2B44#[0-9]*' | head -n 1)""#
        )
    }

    @Test func `the examples in the help work, one after the other, on a music library`() throws {
        try Store.open(
            at: store.directory.appendingPathComponent("music").path,
            schema: MusicLibrary.schema
        )
        .close()
        let script = try """
        set -e
        program="$0"
        reprise() { "$program" "$@" >"$answer" 2>&1 || { echo "$@"; cat "$answer"; exit 1; }; }
        cd "$1"
        answer="$1/answer"
        \(examples(PutArguments.self))
        reprise put music track --id 2B44 title='Blue in Green' playCount=0 isFavorite=true
        reprise put music playlist --id 7A31 name=Evening isFolder=false
        \(examples(LinkArguments.self))
        \(unlinking(examples(UnlinkArguments.self)))
        reprise link music playlist 7A31 tracks 1F0E
        \(examples(MoveArguments.self))
        \(examples(SearchArguments.self))
        \(examples(VersionArguments.self))
        reprise snapshot create music before-import
        \(examples(FetchArguments.self))
        \(examples(LogArguments.self))
        \(examples(ReplayArguments.self))
        \(examples(SnapshotArguments.self))
        \(examples(DeleteArguments.self))
        \(examples(RollbackArguments.self))
        """
        let (ending, text) = try Program.shell(script, store.directory.path)
        #expect(ending == .exited(0) && text.isEmpty, "\(text)")
    }
}
