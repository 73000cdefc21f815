import TestSupport
import Testing

@testable import RealmFile

/// What is salvaged of copies that mix pages of two versions, and of files that were made to be read for ever.
struct TornSalvageTests {
    private static func versions() throws -> (live: [UInt8], compact: [UInt8]) {
        let image = try EncryptedPages(Fixtures.key()).decrypt(
            FileImage(bytes: Fixtures.bytes("music_100_compact_encrypted"))
        )
        return (try Fixtures.bytes("music_100"), image.bytes.array)
    }

    /// The same library lies at different places in both files. An object that is read from pages of one file only is
    /// the one of the library. One whose texts or numbers lie across the edge of a page, half in another file, cannot
    /// always be told: there are no check sums. How seldom that is, is tested, too.
    @Test func `of pages of two files no object is put together that can be told`() throws {
        let (live, compact) = try Self.versions()
        let content = try Content(RealmReader(bytes: live))
        var partial = 0
        var objectCount = 0
        var mixedCount = 0
        for base in [live, compact] {
            let truth = try SalvageTruth(base)
            let donor = base == live ? compact : live
            let pageCount = min(live.count, compact.count) / 4096
            for choice in 1..<1 << pageCount {
                var mixture = base
                for page in 0..<pageCount where choice >> page & 1 == 1 {
                    let range = page * 4096..<(page + 1) * 4096
                    mixture.replaceSubrange(range, with: donor[range])
                }
                guard let realm = try? RealmReader(salvagingBytes: mixture) else { continue }
                let salvage = try realm.salvage()
                let found = try Content(salvage.realm)
                #expect(found.contradictions == [], "\(choice)")
                guard salvage.newestFault == nil else { continue }
                if !salvage.isComplete, salvage.objectCount > 0 { partial += 1 }
                let faults = try truth.faults(of: salvage, mixture, isStructural: false)
                #expect(faults == [], "\(choice)")
                objectCount += salvage.objectCount
                mixedCount += Self.foreigners(in: found, content).count
            }
        }
        #expect(partial > 0)
        #expect(mixedCount * 10 <= objectCount, "\(mixedCount) of \(objectCount) in \(partial)")
    }

    /// Objects that are not in the library as they are handed on, but for links that are left out.
    private static func foreigners(in found: Content, _ truth: Content) -> [String] {
        var names: [String] = []
        for realmClass in found.classes {
            guard let original = truth.classes.first(where: { $0.name == realmClass.name }) else {
                names.append(realmClass.name)
                continue
            }
            let objects = Dictionary(
                uniqueKeysWithValues: original.objects.map { ($0.key, $0.values) }
            )
            for object in realmClass.objects {
                let values = objects[object.key] ?? []
                guard values.count == object.values.count,
                    zip(object.values, values).allSatisfy({ SalvageTruth.isRest($0, of: $1) })
                else {
                    names.append("\(realmClass.name) \(object.key)")
                    continue
                }
            }
        }
        return names
    }

    /// The older root of a file, its pages partly used again, is a torn copy of its own.
    @Test(arguments: ["music_tiny", "music_100", "unresolved"])
    func `of the version before the last one what is handed on holds together`(name: String) throws
    {
        var bytes = try Fixtures.bytes(name)
        bytes[23] ^= 1
        guard let realm = try? RealmReader(salvagingBytes: bytes) else { return }
        let salvage = try realm.salvage()
        #expect(try Content(salvage.realm).contradictions == [])
        if salvage.isComplete { try RealmReader(bytes: bytes).examine() }
    }

    @Test func `arrays that overlap each other a million times are refused in no time`() throws {
        var bytes = [UInt8](repeating: 0, count: 16) + Array("T-DB".utf8) + [24, 0, 0, 0]
        // A root of many references, each to a place in an area of headers that all reach to its end.
        let count = 20_000
        let start = 24 + 8 + 8 * count
        bytes += [0x41, 0x41, 0x41, 0x41, 0x47, 0, UInt8(count >> 8), UInt8(count & 0xff)]
        for index in 0..<count {
            let reference = start + 8 * index
            for byte in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: reference >> (8 * byte))) }
        }
        for index in 0..<count {
            let rest = 8 * (count - index - 1)
            bytes += [0x41, 0x41, 0x41, 0x41, 0x10]
            bytes += [16, 8, 0].map { UInt8(truncatingIfNeeded: rest >> $0) }
        }
        bytes[0] = 24
        let error = try refusalError { _ = try RealmReader(salvagingBytes: bytes) }
        #expect(error?.message.hasPrefix("So many arrays lie in each other") == true)
    }

    /// Files of old have no marks and rows in trees by column; damage in them does no harm either.
    @Test(.enabled(if: Fixtures.hasShared, "the larger Realm files are not here"))
    func `what is salvaged of damaged files of old holds together`() throws {
        var generator = SeededGenerator(seed: 31)
        var partial = 0
        var structural = 0
        for path in try Fixtures.realPaths() {
            guard let realm = try? RealmReader(path: path), realm.formatVersion < 10,
                (try? realm.examine()) != nil
            else { continue }
            let bytes = realm.storage.source.bytes.array
            guard bytes.count <= 1 << 17, !realm.classes.isEmpty else { continue }
            let truth = try SalvageTruth(bytes)
            for _ in 0..<40 {
                guard let mutant = SalvageMutationTests.structuralMutant(truth, &generator),
                    let damaged = try? RealmReader(salvagingBytes: mutant)
                else { continue }
                let salvage = try damaged.salvage()
                #expect(try Content(salvage.realm).contradictions == [])
                guard salvage.newestFault == nil else { continue }
                let faults = try truth.faults(of: salvage, mutant, isStructural: true)
                let changes = SalvageTruth.changes(bytes, mutant)
                #expect(faults.isEmpty, "\(path), \(changes): \(faults.prefix(3))")
                if !salvage.isComplete, salvage.objectCount > 0 { structural += 1 }
            }
            for _ in 0..<40 {
                let mutant = Mutation(of: bytes, donor: bytes, &generator)
                    .applied(to: bytes, donor: bytes)
                guard let damaged = try? RealmReader(salvagingBytes: mutant) else { continue }
                let salvage = try damaged.salvage()
                #expect(try Content(salvage.realm).contradictions == [])
                if !salvage.isComplete, salvage.objectCount > 0 { partial += 1 }
            }
        }
        #expect(partial > 0 && structural > 0, "\(partial), \(structural)")
    }

    /// A page of which a byte was changed is not decrypted: what lies in it is lost, and nothing else.
    @Test func `of an encrypted file the pages that are whole are read`() throws {
        let file = try Fixtures.bytes("music_100_encrypted")
        let key = try Fixtures.key()
        let image = try EncryptedPages(key).decrypt(FileImage(bytes: file))
        let truth = try SalvageTruth(image.bytes.array)
        var partial = 0
        for page in stride(from: 4096, to: file.count, by: 4096) {
            var mutant = file
            mutant[page + 77] ^= 1
            guard let realm = try? RealmReader(salvagingBytes: mutant, key: key) else { continue }
            let salvage = try realm.salvage()
            #expect(try Content(salvage.realm).contradictions == [])
            guard salvage.newestFault == nil, !salvage.isComplete else { continue }
            var plain = image.bytes.array
            let start = page - 4096
            plain.replaceSubrange(start..<start + 4096, with: repeatElement(0, count: 4096))
            #expect(try truth.faults(of: salvage, plain, isStructural: true) == [])
            #expect(salvage.losses.contains { $0.reason.hasPrefix("Encrypted bytes") })
            if salvage.objectCount > 0 { partial += 1 }
        }
        #expect(partial > 0)
    }
}
