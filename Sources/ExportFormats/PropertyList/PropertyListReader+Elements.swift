package import Foundation

#if canImport(FoundationXML)
    package import FoundationXML
#endif

extension PropertyListReader: XMLParserDelegate {
    package func parser(
        _ parser: XMLParser,
        didStartElement name: String,
        namespaceURI: String?,
        qualifiedName: String?,
        attributes: [String: String]
    ) {
        guard failure == nil else { return }
        do { try begin(name) } catch { fail(error) }
    }

    package func parser(
        _ parser: XMLParser,
        didEndElement name: String,
        namespaceURI: String?,
        qualifiedName: String?
    ) {
        guard failure == nil else { return }
        do { try end() } catch { fail(error) }
    }

    package func parser(_ parser: XMLParser, foundCharacters string: String) {
        guard failure == nil else { return }
        do { try characters(string) } catch { fail(error) }
    }

    package func parser(_ parser: XMLParser, foundCDATA block: Data) {
        guard failure == nil else { return }
        do { try characters(String(decoding: block, as: UTF8.self)) } catch { fail(error) }
    }

    package func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) {
        fail(parserCode: (error as NSError).code)
    }
}

extension PropertyListReader {
    private func begin(_ name: String) throws {
        // libxml2 hands on what it has of a tag that the end of the file cuts off.
        guard !stream.isAtEnd || !stream.endsInsideMarkup else { throw unfinished() }
        guard leaf == nil else { throw malformed("has an element inside a value") }
        guard let element = Self.element(name) else {
            throw levels.isEmpty ? notAPropertyList(name) : malformed("has an unknown element")
        }
        guard let top = levels.last else {
            guard case .plist = element else { throw notAPropertyList(name) }
            levels.append(Level(kind: .plist))
            return
        }
        let key = try place(element, in: top)
        switch element {
        case .plist: throw malformed("has a plist inside a plist")
        case .dictionary: try push(.dictionary, as: .dictionary, key: key)
        case .array: try push(.array, as: .array, key: key)
        case .key, .scalar:
            leaf = element
            text = ""
        }
    }

    /// Checks that `element` may stand here, and takes the key that was waiting for it.
    private func place(_ element: Element, in top: Level) throws -> String {
        let index = levels.count - 1
        switch top.kind {
        case .plist:
            if case .key = element { throw malformed("has a key outside a dictionary") }
            guard !top.hasValue else { throw malformed("has more than one root") }
            levels[index].hasValue = true
            return ""
        case .array:
            if case .key = element { throw malformed("has a key inside an array") }
            return ""
        case .dictionary:
            if case .key = element {
                guard top.key == nil else { throw malformed("has a key without a value") }
                return ""
            }
            guard let key = top.key else { throw malformed("has a value without a key") }
            // A scalar still needs its key at its end.
            if case .scalar = element { return key }
            levels[index].key = nil
            return key
        }
    }

    private func push(
        _ container: PropertyListContainer,
        as kind: Level.Kind,
        key: String
    ) throws {
        guard levels.count < Self.depthMax else {
            throw LegacyError(
                .limitExceeded,
                "The file nests its values more than \(Self.depthMax) levels deep.",
                advice: "Export the library again; do not trust this file."
            )
        }
        if skippedFrom == nil, try handler?.open(container, key: key) == false {
            skippedFrom = levels.count
        }
        levels.append(Level(kind: kind))
    }

    private func end() throws {
        guard let leaf else {
            guard let level = levels.popLast() else { return }
            guard level.key == nil else { throw malformed("has a key without a value") }
            if level.kind == .plist {
                isComplete = true
            } else if skippedFrom == levels.count {
                skippedFrom = nil
            } else if skippedFrom == nil {
                try handler?.close()
            }
            return
        }
        self.leaf = nil
        let index = levels.count - 1
        switch leaf {
        case .key:
            guard text.utf8.count <= Self.keyByteCountMax else { throw tooLong("A key") }
            levels[index].key = text
        case .scalar(let kind):
            let key = levels[index].key ?? ""
            levels[index].key = nil
            guard skippedFrom == nil else { return }
            try handler?.scalar(PropertyListScalar(kind: kind, text: text), key: key)
        case .plist, .dictionary, .array:
            break
        }
    }

    private func characters(_ piece: String) throws {
        guard leaf != nil else {
            guard piece.utf8.allSatisfy({ $0 == 0x20 || (0x09...0x0D).contains($0) }) else {
                throw malformed("has text between its values")
            }
            return
        }
        if text.isEmpty {
            text = piece
        } else {
            text.append(piece)
        }
        guard text.utf8.count <= Self.textByteCountMax else { throw tooLong("A value") }
    }

    private static func element(_ name: String) -> Element? {
        // In the order of how often they occur.
        switch name {
        case "key": .key
        case "integer": .scalar(.integer)
        case "string": .scalar(.string)
        case "dict": .dictionary
        case "date": .scalar(.date)
        case "true": .scalar(.true)
        case "false": .scalar(.false)
        case "data": .scalar(.data)
        case "real": .scalar(.real)
        case "array": .array
        case "plist": .plist
        default: nil
        }
    }

    private func tooLong(_ what: String) -> LegacyError {
        LegacyError(
            .limitExceeded,
            "\(what) in the file is longer than any export writes.",
            advice: "Export the library again; do not trust this file."
        )
    }

    private func notAPropertyList(_ name: String) -> LegacyError {
        LegacyError(
            .notALibrary,
            "The file is XML, but no property list: its root is \(name.prefix(40)).",
            advice:
                "Choose the XML file that Music or iTunes exports (File, Library, Export Library). Of other XML Reprise"
                + " reads playlists (XSPF) alone."
        )
    }
}
