extension Examination {
    /// The primary keys of a class, or the keys of a dictionary, that were met: sixteen bytes each, and a hash table's
    /// slack.
    ///
    /// Of so many that they would take more memory than the file has bytes, only some are kept at a time: they are gone
    /// through several times, and each pass keeps those whose hashes leave its own remainder.
    struct Identities {
        struct Fingerprint: Hashable {
            let first: Int
            let second: Int
        }

        /// A set has room for a third more than it was made for, rounded up to a power of two.
        private static let byteCountOfEach = 43
        /// What a small file may take.
        private static let byteCountMin = 2 << 20

        private var met: Set<Fingerprint>
        private let pass: UInt
        private let passCount: UInt
        /// How many keys there may still be.
        private var roomLeft: Int

        /// How many passes are needed.
        ///
        /// - Parameters:
        ///   - count: how many keys there are said to be. Keys that are all different take a byte each at least.
        ///   - byteCount: the size of the file.
        static func passCount(for count: Int, in byteCount: Int) -> Int {
            let kept = max(byteCountMin, byteCount) / byteCountOfEach
            return max(1, (min(count, byteCount) + kept - 1) / kept)
        }

        /// - Parameters:
        ///   - count: how many keys the file says there are.
        ///   - byteCount: the size of the file, of which room is made for a part at most, whatever it says.
        ///   - pass: from 0 to below ``passCount(for:in:)``.
        init(expecting count: Int, in byteCount: Int, pass: Int = 0) {
            let passCount = Self.passCount(for: count, in: byteCount)
            self.pass = UInt(pass)
            self.passCount = UInt(passCount)
            roomLeft = count
            met = Set(minimumCapacity: max(0, min(count / passCount, byteCount / 16)))
        }

        /// Returns whether a key is new, or one of another pass.
        ///
        /// - Throws: `.damaged` where there are more of them than was expected.
        mutating func insert(_ value: RealmValue) throws(RealmFileError) -> Bool {
            roomLeft -= 1
            guard roomLeft >= 0 else {
                throw RealmFileError(.damaged, "There are more keys than are noted.")
            }
            let fingerprint = Self.fingerprint(of: value)
            return !isKept(fingerprint) || met.insert(fingerprint).inserted
        }

        /// Whether a key belongs to this pass.
        func isKept(_ fingerprint: Fingerprint) -> Bool {
            passCount == 1 || UInt(bitPattern: fingerprint.second) % passCount == pass
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
