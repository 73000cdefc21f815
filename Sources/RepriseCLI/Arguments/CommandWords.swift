#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The words of a command line, which the system hands over as bytes.
///
/// The standard library puts a replacement character where bytes are no UTF-8, and different identifiers would become
/// the same one.
enum CommandWords {
    /// Those of this process, without its own name.
    static func ofProcess() throws(CommandFailure) -> [String] {
        var words: [[UInt8]] = []
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let word = unsafe CommandLine.unsafeArgv[index] else { break }
            unsafe words.append(Array(UnsafeRawBufferPointer(start: word, count: strlen(word))))
        }
        return try decode(words)
    }

    /// - Throws: `CommandFailure` for the first word that is not UTF-8.
    static func decode(_ words: [[UInt8]]) throws(CommandFailure) -> [String] {
        var decoded: [String] = []
        for word in words {
            guard let text = String(validating: word, as: UTF8.self) else {
                throw malformed(word, number: decoded.count + 1)
            }
            decoded.append(text)
        }
        return decoded
    }

    private static func malformed(_ word: [UInt8], number: Int) -> CommandFailure {
        let text = DisplayWidth.visible(String(decoding: word, as: UTF8.self))
        return CommandFailure(
            .usage,
            "Argument \(number), \"\(text)\", is not UTF-8.",
            advice:
                "Write it in UTF-8; a file or directory with such a name has to be renamed first."
        )
    }
}
