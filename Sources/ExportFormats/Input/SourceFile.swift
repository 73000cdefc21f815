/// What the sources of text formats have in common.
package enum SourceFile {
    /// The last part of a path.
    package static func name(of path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }

    /// The last part of a path without its extension: what a class is called that the file does not name. A name that
    /// stands for the identity of the library says nothing of it: two libraries may have the same class.
    package static func stem(of path: String) -> String {
        let name = name(of: path)
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return name }
        return String(name[..<dot])
    }

    /// Runs `body`, which throws nothing but `LegacyError` unless something unforeseen happens.
    package static func typed<R>(_ path: String, _ body: () throws -> R) throws(LegacyError) -> R {
        do {
            return try body()
        } catch let error as LegacyError {
            throw error
        } catch {
            throw LegacyError(
                .inputOutput,
                "\(path) could not be read: \(error).",
                advice: "Try again."
            )
        }
    }
}
