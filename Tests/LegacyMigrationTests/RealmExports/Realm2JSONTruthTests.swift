import Foundation
import LegacyMigration
import Reprise
import Testing

/// Against the truth of generated Realm files, printed by an independent writer.
@Suite(.enabled(if: Realm2JSON.hasFixtures, "The fixtures are not there."))
struct Realm2JSONTruthTests {
    @Test(
        "The music library is the same in every mode, with the schema",
        arguments: RealmTruthWriter.Mode.allCases,
        ["music_tiny", "music_100"]
    )
    func music(mode: RealmTruthWriter.Mode, name: String) throws {
        let truth = try Realm2JSON.truth(name)
        let readout = try Realm2JSON.read(truth.text(mode), schema: truth.schema)
        for table in truth.tables where table.name.hasPrefix("class_") {
            #expect(readout.keys(table.className).count == table.objects.count)
            for (_, values) in table.objects {
                let key = try #require(values["id"] as? String)
                let record = try #require(
                    key.isEmpty
                        ? readout.records.first { $0["id_2"] == .string("") }
                        : readout.record(table.className, key)
                )
                try Self.expectSame(record, values, table, mode)
            }
        }
        try Self.expectSameLists(readout, truth)
        #expect(readout.reading.skippedCounts == ["metadata": 1])
    }

    @Test func `mode 2 says as much of the music library without a schema as with it`() throws {
        let truth = try Realm2JSON.truth("music_100")
        let text = truth.text(.extendedPlus)
        let with = try Realm2JSON.read(text, schema: truth.schema)
        let without = try Realm2JSON.read(text)
        // As texts, because no NaN is the same as another.
        let texts = { (readout: Readout) in readout.records.map { "\($0)" } }
        #expect(texts(with).count == texts(without).count)
        for (left, right) in zip(texts(with), texts(without)) { #expect(left == right) }
        #expect(with.lists == without.lists)
    }

    @Test("Every type comes through, with the schema", arguments: RealmTruthWriter.Mode.allCases)
    func allTypes(mode: RealmTruthWriter.Mode) throws {
        let truth = try Realm2JSON.truth("alltypes_300")
        let readout = try Realm2JSON.read(truth.text(mode), schema: truth.schema)
        let all = try #require(truth.tables.first { $0.className == "All" })
        let target = try #require(truth.tables.first { $0.className == "Target" })
        let records = readout.records.filter { $0.className == "All" }
        #expect(records.count == all.objects.count)
        for ((_, values), record) in zip(all.objects, records) {
            if let key = values["pk"] as? NSNumber { #expect(record.key == key.stringValue) }
            try Self.expectSame(record, values, all, mode)
            if let link = (values["link"] as? [String: Any])?["$link"] as? NSNumber {
                let object = target.objects.first { $0.number == link.int64Value }
                let oid = (object?.values["_id"] as? [String: Any])?["$oid"] as? String
                #expect(record["link"] == .reference(oid ?? ""))
            } else {
                #expect(record["link"] == nil)
            }
        }
        let embedded = readout.records.filter { $0.className == "Emb" }
        #expect(embedded.count == 475)
        #expect(Set(embedded.map(\.key)).count == 475)
        // The primary key that is null, the floats of which none fits, and nothing else.
        #expect(readout.count(.unexpectedType) == 0)
        #expect(readout.count(.duplicateKey) == 0)
    }

    @Test(
        "Without a schema every value still has a place, whatever the mode",
        arguments: RealmTruthWriter.Mode.allCases,
        ["music_100", "alltypes_300", "unresolved"]
    )
    func withoutSchema(mode: RealmTruthWriter.Mode, name: String) throws {
        let truth = try Realm2JSON.truth(name)
        let readout = try Realm2JSON.read(truth.text(mode))
        for table in truth.tables where table.name.hasPrefix("class_") && !table.isEmbedded {
            #expect(readout.keys(table.className).count == table.objects.count)
        }
        #expect(readout.count(.unexpectedType) == 0 && readout.count(.unresolvedLink) == 0)
    }

    @Test func `a library of ten thousand comes through whole`() throws {
        let truth = try Realm2JSON.truth("music_10k")
        let readout = try Realm2JSON.read(truth.text(.json), schema: truth.schema)
        #expect(
            readout.reading.recordCounts
                == ["RealmTrack": 8677, "RealmAlbum": 833, "RealmPlaylist": 50]
        )
        let playlists = readout.lists.filter { $0.className == "RealmPlaylist" }
        #expect(playlists.reduce(0) { $0 + $1.members.count } == 6628)
        #expect(playlists.reduce(0) { $0 + Set($1.members).count } == 5311)
        let keys = Set(readout.keys("RealmTrack"))
        #expect(readout.lists.allSatisfy { $0.members.allSatisfy(keys.contains) })
    }

    // MARK: Comparing

    private static func expectSame(
        _ record: LegacyRecord,
        _ values: [String: Any],
        _ table: RealmTruthWriter.Table,
        _ mode: RealmTruthWriter.Mode
    ) throws {
        for column in table.columns where column.target == nil && column.type != 6 {
            guard !(column.name == "id" && table.primaryKey == "id") else { continue }
            let value = record[column.name]
            let truth = values[column.name] ?? NSNull()
            if column.isDictionary {
                guard case .map(let fields)? = value,
                    let map = (truth as? [String: Any])?["$dict"] as? [String: Any]
                else {
                    Issue.record("\(record.key).\(column.name) is no map")
                    continue
                }
                #expect(fields.count == map.count)
                for field in fields {
                    #expect(
                        same(field.value, map[field.name] ?? NSNull(), column, mode),
                        "\(record.key).\(column.name).\(field.name)"
                    )
                }
            } else if column.isList || column.isSet {
                let elements = (truth as? [String: Any])?["$set"] as? [Any] ?? truth as? [Any]
                let read: [LegacyValue]
                switch value {
                case .list(let values)?, .set(let values)?: read = values
                default: read = []
                }
                #expect(read.count == elements?.count, "\(record.key).\(column.name)")
                for (element, other) in zip(read, elements ?? []) {
                    #expect(
                        same(element, other, column, mode),
                        "\(record.key).\(column.name): \(element) \(other)"
                    )
                }
            } else {
                #expect(
                    same(value ?? .null, truth, column, mode),
                    "\(record.key).\(column.name): \(String(describing: value)) \(truth)"
                )
            }
        }
    }

    private static func same(
        _ value: LegacyValue,
        _ truth: Any,
        _ column: RealmTruthWriter.Column,
        _ mode: RealmTruthWriter.Mode
    ) -> Bool {
        let wrapper = truth as? [String: Any] ?? [:]
        switch value {
        case .null: return truth is NSNull
        case .bool(let value): return (truth as? NSNumber)?.boolValue == value
        case .integer(let value): return (truth as? NSNumber)?.int64Value == value
        case .double(let value):
            guard let hex = wrapper["$d"] as? String, let bits = UInt64(hex, radix: 16) else {
                return false
            }
            let other = Double(bitPattern: bits)
            return value == other || value.isNaN && other.isNaN
        case .float(let value):
            guard let hex = wrapper["$f"] as? String, let bits = UInt32(hex, radix: 16) else {
                return false
            }
            let other = Float(bitPattern: bits)
            // realm2json prints eight digits of a Float, one fewer than would tell all of them apart.
            return value == other || value.isNaN && other.isNaN
                || abs(value - other) <= abs(other) * 1e-7
        case .string(let value):
            let text = truth as? String ?? wrapper["$oid"] as? String ?? wrapper["$dec"] as? String
            return text?.utf8.elementsEqual(value.utf8) == true
        case .data(let value):
            return (wrapper["$bin"] as? String).map(RealmTruthWriter.data) == value
        case .uuid(let value): return wrapper["$uuid"] as? String == value.uuidString.lowercased()
        case .decimal(let value):
            guard let text = wrapper["$dec"] as? String else { return false }
            return Decimal(string: text) == value || text == "NaN" && value.isNaN
        case .date(let value):
            guard let parts = wrapper["$ts"] as? [NSNumber] else { return false }
            let (seconds, nanoseconds) = (parts[0].int64Value, parts[1].int64Value)
            let kept = mode == .json ? nanoseconds : nanoseconds / 1_000_000 * 1_000_000
            let interval = Double(seconds - 978_307_200) + Double(kept) / 1e9
            return abs(value.timeIntervalSinceReferenceDate - interval)
                <= max(abs(interval), 1) * 0x1p-52
        default: return false
        }
    }

    private static func expectSameLists(_ readout: Readout, _ truth: RealmTruthWriter) throws {
        for table in truth.tables {
            for column in table.columns where column.isList && column.target != nil {
                let target = try #require(truth.tables.first { $0.name == column.target })
                let ids = Dictionary(
                    uniqueKeysWithValues: target.objects.map {
                        ($0.number, $0.values["id"] as? String ?? "")
                    }
                )
                for (_, values) in table.objects {
                    let links = (values[column.name] as? [[String: Any]] ?? [])
                        .map { ids[($0["$link"] as? NSNumber)?.int64Value ?? -1] ?? "?" }
                    let key = values["id"] as? String ?? ""
                    let lists = readout.lists.filter {
                        $0.className == table.className && ($0.key == key || key.isEmpty)
                            && $0.name == column.name && Array($0.members) == links
                    }
                    #expect(lists.count >= 1, "\(table.className) \(key)")
                }
            }
        }
    }
}
