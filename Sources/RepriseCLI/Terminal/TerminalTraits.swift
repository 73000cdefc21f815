#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What the other end of a stream can show.
struct TerminalTraits: Equatable, Sendable {
    /// Whether a person sees the text as it is written.
    var isTerminal: Bool
    /// The columns of the screen; nil where lines may be as long as they like (a file, a pipe).
    var width: Int?
    /// Whether bold, dim and colours are understood and wanted.
    var usesStyle: Bool

    /// A file or a pipe.
    static let plain = TerminalTraits(isTerminal: false, width: nil, usesStyle: false)

    init(isTerminal: Bool, width: Int?, usesStyle: Bool) {
        self.isTerminal = isTerminal
        self.width = width
        self.usesStyle = usesStyle
    }

    /// What is known of a file descriptor.
    ///
    /// Style is left out where `NO_COLOR` is set and not empty (no-color.org) or `TERM` is `dumb`. The
    /// width is the window's, else `COLUMNS`, else 80.
    init(of descriptor: Int32, environment: (String) -> String?) {
        guard isatty(descriptor) == 1 else {
            self = .plain
            return
        }
        var size = winsize()
        let isKnown = unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        let width = isKnown ? Int(size.ws_col) : environment("COLUMNS").flatMap { Int($0) } ?? 80
        self.init(
            isTerminal: true,
            width: max(20, width),
            usesStyle: (environment("NO_COLOR") ?? "").isEmpty && environment("TERM") != "dumb"
        )
    }
}

/// A way to set text apart on a terminal (ECMA-48, select graphic rendition).
enum TextStyle: String, Sendable {
    case bold = "1"
    case dim = "2"
    case red = "31"
    case green = "32"

    func applied(to text: String, in traits: TerminalTraits) -> String {
        traits.usesStyle && !text.isEmpty ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
    }
}
