/// A manual page in the language of `man` (roff with the `man` macros, groff_man(7)).
struct ManualPage {
    private(set) var roff = ""

    /// A macro with its words.
    mutating func request(_ name: String, _ words: String...) {
        let quoted = words.map { word in
            let text = Self.escaped(word).split(separator: "\"", omittingEmptySubsequences: false)
            return "\"" + text.joined(separator: "\\(dq") + "\""
        }
        roff += "." + ([name] + quoted).joined(separator: " ") + "\n"
    }

    /// A line that is filled up with its neighbours.
    mutating func line(_ text: String) {
        let text = Self.escaped(text)
        // A dot or an apostrophe at the beginning would be a request.
        roff += (text.first.map { ".'".contains($0) } == true ? "\\&" : "") + text + "\n"
    }

    mutating func paragraph(_ text: String) {
        roff += ".PP\n"
        line(text)
    }

    /// Paragraphs; lines that are indented stand as they are.
    mutating func text(_ text: String) {
        var isPlain = false
        for piece in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let isCode = piece.hasPrefix("  ")
            if isCode != isPlain { roff += isCode ? ".RS\n.nf\n" : ".fi\n.RE\n" }
            isPlain = isCode
            if isCode {
                line(String(piece.dropFirst(2)))
            } else if piece.isEmpty {
                roff += ".PP\n"
            } else {
                line(String(piece))
            }
        }
        if isPlain { roff += ".fi\n.RE\n" }
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "…": result += "..."
            case "\n": result += " "
            default: result.append(character)
            }
        }
        return result
    }
}
