import Foundation
import Testing

@testable import RepriseCLI

/// The manual page (CLI-18).
struct ManualTests {
    @Test func `it has each command with its texts, and nothing that roff would take for its own`() throws {
        let answer = RunOutside.run("manual")
        #expect(answer.outcome == .done && answer.diagnostics.isEmpty)
        #expect(answer.output.hasPrefix(".TH \"REPRISE\" \"1\" \"\" \"reprise \(ReleaseVersion.number)\""))
        for line in try ContractPage.block(after: "## Commands").map(ContractLine.init(contract:)) {
            #expect(answer.output.contains("\n.SS \"\(line.path.joined(separator: " ").replacing("-", with: "\\-"))"))
        }
        #expect(answer.output.contains("\nreprise fetch music track \\-\\-id 1F0E\n"))
        let macros: Set<Substring> = ["TH", "SH", "SS", "PP", "TP", "RS", "RE", "nf", "fi"]
        for line in answer.output.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
            #expect(macros.contains(line.dropFirst().prefix(2)), "\(line)")
        }
    }

    @Test func `a text with signs of roff is shown as it is`() {
        var page = ManualPage()
        page.text(".dot\n'quote\na\\b - c…\n  code --x\n\nend")
        #expect(page.roff == "\\&.dot\n\\&'quote\na\\eb \\- c...\n.RS\n.nf\ncode \\-\\-x\n.fi\n.RE\n.PP\nend\n")
        page = ManualPage()
        page.request("SS", "say \"a b\"")
        #expect(page.roff == ".SS \"say \\(dqa b\\(dq\"\n")
    }
}
