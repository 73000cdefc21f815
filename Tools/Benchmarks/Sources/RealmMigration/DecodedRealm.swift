import RealmFile

/// What a Realm file of music holds, counted by decoding every value of every object, and every element of collections.
public struct DecodedRealm: Equatable, Sendable {
    private var objects: [String: Int] = [:]
    /// Elements of lists, sets and dictionaries.
    private var elements: [String: Int] = [:]
    private var byteCount = 0
    /// Everything that is no text, so that none of it is decoded for nothing.
    private var sum: Int64 = 0

    /// Opens and decodes a file that is believed to be whole: it is not examined.
    public init(_ file: String) throws {
        for realmClass in try RealmReader(path: file).classes where realmClass.isModel {
            let properties = realmClass.properties
            var objectCount = 0
            var elementCount = 0
            try realmClass.forEachObject { object in
                objectCount += 1
                for property in properties {
                    elementCount += try add(object.value(property))
                }
                return true
            }
            objects[realmClass.name] = objectCount
            elements[realmClass.name] = elementCount
        }
    }

    /// The same as a migrated library counts, if nothing was lost on either way.
    public var counts: MigratedLibrary.Counts {
        MigratedLibrary.Counts(
            albums: objects["RealmAlbum", default: 0],
            tracks: objects["RealmTrack", default: 0],
            playlists: objects["RealmPlaylist", default: 0],
            entries: elements["RealmPlaylist", default: 0],
            textBytes: byteCount
        )
    }

    /// Returns how many elements a value has, with those of the collections within it.
    private mutating func add(_ value: RealmValue) throws -> Int {
        var elementCount = 0
        switch value {
        case .null: break
        case .integer(let integer): sum &+= integer
        case .float(let number): sum &+= Int64(number.bitPattern)
        case .double(let number): sum ^= Int64(bitPattern: number.bitPattern)
        case .decimal(let decimal): sum ^= Int64(truncatingIfNeeded: decimal.coefficient) &+ Int64(decimal.exponent)
        case .boolean(let isTrue): sum &+= isTrue ? 1 : 0
        case .string(let text): byteCount += text.utf8.count
        case .data(let data): byteCount += data.count
        case .timestamp(let time): sum &+= time.seconds
        case .objectID(let id): byteCount += id.bytes.count
        case .uuid(let uuid): byteCount += uuid.bytes.count
        case .link(let link), .typedLink(let link): sum &+= link.key
        case .list(let collection), .set(let collection):
            var iterator = collection.makeIterator()
            while let element = try iterator.next() {
                elementCount += 1
                elementCount += try add(element)
            }
        case .dictionary(let dictionary):
            var iterator = dictionary.makeIterator()
            while let entry = try iterator.next() {
                elementCount += 1
                elementCount += try add(entry.key)
                elementCount += try add(entry.value)
            }
        }
        return elementCount
    }
}
