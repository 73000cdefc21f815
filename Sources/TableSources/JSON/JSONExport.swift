import ExportFormats
import LegacyRecords
import Reprise

/// A file of JSON objects, each of a class, and the passes over it.
struct JSONExport: Sendable {
    /// How the objects are laid out in the file.
    enum Form: Sendable {
        /// An object of arrays by class, or one array of objects of the class that is named here.
        case classes(arrayClass: String)
        /// An object of arrays by class as Realm Studio writes it, with linked objects in place of links.
        case studio(StudioClasses)
        /// Realm Studio's later form: places of an array in place of objects and texts.
        case flatted(FlattedIndex, StudioClasses)
        /// Objects on lines of their own, or the elements of one array. The member that names their class, or the class
        /// of all.
        case lines(classMember: String?, fallbackClass: String)
    }

    /// What a walk met that was not as it should be.
    struct Repairs {
        /// How many lone surrogates were replaced.
        var replacedCount = 0
        /// How many objects say their class twice.
        var repeatedClassCount = 0
    }

    let path: String
    let stamp: ExportFile.Stamp
    let form: Form
    let readerOptions: JSONReader.Options
    let limits: JSONReader.Limits

    /// For how many passes over a Flatted file a walk counts: one for its hash, and one from place to place.
    static let flattedPassCount: UInt64 = 2

    /// For how many passes over the file a walk counts: so often its length is what the input's progress goes up to.
    var passCount: UInt64 {
        if case .flatted = form { return Self.flattedPassCount }
        return 1
    }

    /// Reads the file once.
    ///
    /// - Parameters:
    ///   - input: the file's bytes, and who is told how far that is.
    ///   - beginClass: called with the name of a class before its objects, even if it has none.
    ///   - body: called with each object and its place among those of its class, from 0.
    func walk(
        _ input: FileInput,
        beginClass: (String) throws -> Void = { _ in },
        _ body: (String, [JSONMember], Int) throws -> Void
    ) throws -> Repairs {
        let reader = JSONReader(input, options: readerOptions, limits: limits)
        var repairs = Repairs()
        switch form {
        case .classes(let arrayClass):
            try walkClasses(reader, arrayClass, beginClass, body)
        case .studio(let classes):
            try walkClasses(reader, "", beginClass) { name, members, position in
                try body(name, try classes.linked(members, of: name), position)
            }
        case .flatted(let index, let classes):
            // For the hash; the objects are read from their places.
            var buffer = [UInt8](repeating: 0, count: InputPiece.byteCount)
            while try input.fill(&buffer) > 0 {}
            let file = try FlattedFile(path: path, stamp: stamp, index, limits: limits)
            file.onProgress = { [stamp] bytes in try input.onProgress?(stamp.byteCount + bytes) }
            try file.walk(classes, beginClass, body)
            return Repairs(replacedCount: file.replacedCount)
        case .lines(let classMember, let fallbackClass):
            repairs.repeatedClassCount =
                try walkLines(reader, classMember, fallbackClass, beginClass, body)
        }
        repairs.replacedCount = reader.replacedCount
        return repairs
    }

    private func walkClasses(
        _ reader: JSONReader,
        _ arrayClass: String,
        _ beginClass: (String) throws -> Void,
        _ body: (String, [JSONMember], Int) throws -> Void
    ) throws {
        if reader.options.isLenient {
            try reader.skipSpace()
            try FilterLine.skip(reader)
        }
        var counts = ExactNames<Int>()
        func objects(of name: String) throws {
            try beginClass(name)
            var position = counts[name, default: 0]
            while true {
                let token = try reader.next()
                if token == .endArray { break }
                guard case .object(let members) = try reader.value(from: token) else {
                    throw notAnExport(reader)
                }
                try body(name, members, position)
                position += 1
            }
            counts[name] = position
        }
        switch try reader.next() {
        case .beginArray: try objects(of: arrayClass)
        case .beginObject:
            while case .name(let name) = try reader.next() {
                guard try reader.next() == .beginArray else { throw notAnExport(reader) }
                try objects(of: name)
            }
        default: throw notAnExport(reader)
        }
        guard try reader.next() == .end else { throw notAnExport(reader) }
    }

    /// Of the members that name the class the first does, and any further one is a property like others.
    ///
    /// - Returns: how many objects have a further one.
    private func walkLines(
        _ reader: JSONReader,
        _ classMember: String?,
        _ fallbackClass: String,
        _ beginClass: (String) throws -> Void,
        _ body: (String, [JSONMember], Int) throws -> Void
    ) throws -> Int {
        var counts = ExactNames<Int>()
        var repeatedCount = 0
        var token = try reader.next()
        let isArray = token == .beginArray
        if isArray { token = try reader.next() }
        while token != (isArray ? .endArray : .end) {
            guard case .object(let members) = try reader.value(from: token) else {
                throw notAnExport(reader)
            }
            var (name, rest) = (fallbackClass, members)
            if let classMember, let place = members.firstPlace(of: classMember),
                case .string(let className) = members[place].value
            {
                name = className
                rest.remove(at: place)
                if rest.firstPlace(of: classMember) != nil { repeatedCount += 1 }
            }
            if counts[name] == nil { try beginClass(name) }
            let position = counts[name, default: 0]
            counts[name] = position + 1
            try body(name, rest, position)
            token = try reader.next()
        }
        guard try !isArray || reader.next() == .end else { throw notAnExport(reader) }
        return repeatedCount
    }

    private func notAnExport(_ reader: JSONReader) -> LegacyError {
        LegacyError(
            .unknownFormat,
            "The file is JSON, but not laid out as an export is.",
            advice: "Name the file that the export wrote, or another format.",
            byteOffset: reader.offset,
            line: reader.line
        )
    }
}
