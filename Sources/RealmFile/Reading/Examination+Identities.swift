extension Examination {
    /// The primary keys that were met: sixteen bytes each, and a hash table's slack.
    struct Identities {
        struct Fingerprint: Hashable {
            let first: Int
            let second: Int
        }

        private var met: Set<Fingerprint>

        /// - Parameters:
        ///   - count: how many rows the file says there are.
        ///   - byteCount: the size of the file, of which room is made for a part at most, whatever it says.
        init(expecting count: Int = 0, in byteCount: Int = 0) {
            met = Set(minimumCapacity: max(0, min(count, byteCount / 16)))
        }

        /// Returns whether a key is new.
        mutating func insert(_ value: RealmValue) -> Bool {
            met.insert(Self.fingerprint(of: value)).inserted
        }

        static func fingerprint(of value: RealmValue) -> Fingerprint {
            var first = Hasher()
            var second = Hasher()
            second.combine(0)
            combine(value, &first)
            combine(value, &second)
            return Fingerprint(first: first.finalize(), second: second.finalize())
        }

        private static func combine(_ value: RealmValue, _ hasher: inout Hasher) {
            switch value {
            case .integer(let value): hasher.combine(value)
            case .string(var value):
                value.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
            case .objectID(let value): hasher.combine(value)
            case .uuid(let value): hasher.combine(value)
            default: hasher.combine("\(value)")
            }
        }
    }
}
