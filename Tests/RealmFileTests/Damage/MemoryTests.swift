#if os(Linux)
    import TestSupport
    import Testing

    @testable import RealmFile

    /// How much memory files take that say far more than they hold. Each in a process of its own, where nothing else
    /// takes any.
    struct MemoryTests {
        /// What is made of a file.
        enum Work: CaseIterable {
            case walk, examination, dump, salvage, comparison
        }

        static func value(_ realm: RealmReader) throws -> RealmValue {
            let object = try #require(try realm.class(named: "Forged")?.object(withKey: 0))
            return try object.value("property")
        }

        /// How many values lie in each other, the outermost counted as well.
        static func count(_ value: RealmValue) throws -> Int {
            var walk = NestedWalk(value)
            var count = 0
            while try walk.next() != nil { count += 1 }
            return count
        }

        /// Does everything with a file, and expects none of it to take more memory than allowed.
        static func expectLittle(
            _ bytes: [UInt8],
            count: Int,
            dumpByteCount: Int,
            work: [Work] = Work.allCases
        ) throws {
            let realm = try RealmReader(bytes: bytes)
            let other = try RealmReader(bytes: bytes)
            for work in work {
                let taken = try PeakMemory.byteCount {
                    switch work {
                    case .walk: #expect(try Self.count(Self.value(realm)) == count)
                    case .examination: try realm.examine()
                    case .dump:
                        var length = 0
                        var writer = RealmDumpWriter(realm)
                        try writer.value(Self.value(realm)) { length += $0.count }
                        #expect(length + writer.bytes.count == dumpByteCount)
                    case .salvage:
                        let salvage = try RealmReader(salvagingBytes: bytes).salvage()
                        #expect(salvage.objectCount == 1)
                        let value = try Self.value(salvage.realm)
                        #expect(try Self.count(value) == count)
                    case .comparison:
                        let (first, second) = (try Self.value(realm), try Self.value(other))
                        #expect(first == second)
                    }
                }
                #expect(
                    taken < PeakMemory.limit(bytes),
                    "\(work): \(taken) of \(PeakMemory.limit(bytes))"
                )
            }
        }

        @Test func `a list of millions of zeros takes no more than a small one`() async {
            await #expect(processExitsWith: .success) {
                var file = ForgedFile()
                let lists = file.references([file.zeros(leafCount: 6000)])
                let bytes = file.finish(leaf: lists, type: .integer, attributes: .list)
                let realm = try RealmReader(bytes: bytes)
                guard case .list(let elements) = try MemoryTests.value(realm) else { fatalError() }
                let count = try elements.count()
                #expect(count == 6_000_000)
                #expect(try elements.element(at: count - 1) == .integer(0))
                try MemoryTests.expectLittle(
                    bytes,
                    count: count + 1,
                    dumpByteCount: 2 * count + 1,
                    // The others with a list of a tenth of that, in a build that nothing was made faster in.
                    work: [.walk, .examination]
                )
            }
        }

        @Test func `a list of zeros is dumped, salvaged and compared as it is read`() async {
            await #expect(processExitsWith: .success) {
                var file = ForgedFile()
                let lists = file.references([file.zeros(leafCount: 600)])
                let bytes = file.finish(leaf: lists, type: .integer, attributes: .list)
                try MemoryTests.expectLittle(bytes, count: 600_001, dumpByteCount: 1_200_001)
            }
        }

        @Test func `a set of millions of zeros takes no more than a small one`() async {
            await #expect(processExitsWith: .success) {
                var file = ForgedFile()
                let lists = file.references([file.zeros(leafCount: 600)])
                let bytes = file.finish(leaf: lists, type: .integer, attributes: .set)
                try MemoryTests.expectLittle(
                    bytes,
                    count: 600_001,
                    dumpByteCount: 1_200_001 + 9
                )
            }
        }

        /// A list in each of a hundred elements: five thousand nothings in each in the smallest leaves there are.
        @Test func `lists of nothing within a list take no more than small ones`() async {
            await #expect(processExitsWith: .success) {
                var file = ForgedFile()
                var inner: [Int] = []
                for _ in 0..<100 {
                    let leaves = (0..<5).map { _ in
                        let kinds = file.zeros(1000)
                        return file.references([kinds, 0, 0, 0])
                    }
                    inner.append(file.tree(leaves, of: 1000))
                }
                let kinds = file.array((0..<100).map { 20 | 4 << 5 | $0 << 8 })
                let leaf = file.references([kinds, 0, 0, 0, file.references(inner)])
                let lists = file.references([leaf])
                let bytes = file.finish(leaf: lists, type: .mixed, attributes: [.list, .nullable])
                try MemoryTests.expectLittle(
                    bytes,
                    count: 1 + 100 + 100 * 5000,
                    dumpByteCount: 100 * (5 * 5000 + 1) + 99 + 2
                )
            }
        }

        @Test(arguments: [(300, 1 << 14), (70, 1 << 22)])
        func `one text in many elements is in memory once`(count: Int, byteCount: Int) async {
            await #expect(processExitsWith: .success) {
                [count = count as Int, byteCount = byteCount as Int] in
                var file = ForgedFile()
                let lists = file.references([file.texts(count, byteCount: byteCount)])
                let bytes = file.finish(leaf: lists, type: .mixed, attributes: [.list, .nullable])
                try MemoryTests.expectLittle(
                    bytes,
                    count: count + 1,
                    dumpByteCount: count * (byteCount + 3) + 1,
                    // Byte by byte, in a build that nothing was made faster in, the larger one takes a minute.
                    work: byteCount > 1 << 20
                        ? [.walk, .examination] : MemoryTests.Work.allCases
                )
            }
        }

        @Test func `a large dictionary takes no more than its file`() async {
            await #expect(processExitsWith: .success) {
                var file = ForgedFile()
                let keys = (0..<150).map { leaf in
                    file.names((0..<1000).map { "\(leaf * 1000 + $0)" })
                }
                let keyTree = file.tree(keys, of: 1000)
                let leaves = keys.map { _ in
                    let kinds = file.zeros(1000)
                    return file.references([kinds, 0, 0, 0])
                }
                let valueTree = file.tree(leaves, of: 1000)
                let dictionaries = file.references([file.references([keyTree, valueTree])])
                let cluster = file.references([1 << 1 | 1, dictionaries])
                let bytes = file.finish(
                    rows: cluster,
                    type: 1 << 16 | Int64(RealmValueType.mixed.rawValue),
                    attributes: Int64((ColumnAttributes([.dictionary, .nullable])).rawValue)
                )
                let digits = (0..<150_000).reduce(0) { $0 + "\($1)".utf8.count }
                try MemoryTests.expectLittle(
                    bytes,
                    count: 150_001,
                    dumpByteCount: "{\"$dict\":{}}".utf8.count + digits + 150_000 * 8 - 1
                )
            }
        }

        @Test func `a list of millions of dates of old takes no more than a small one`() async {
            await #expect(processExitsWith: .success) {
                var file = ForgedFile(version: 9)
                let seconds = file.tree((0..<600).map { _ in file.zeros(1001) }, of: 1000)
                let nanoseconds = file.zeros(leafCount: 600)
                let dates = file.references([seconds, nanoseconds])
                let lists = file.references([file.references([dates])])
                let bytes = file.finish(
                    column: lists,
                    type: RawType.subtable,
                    elementType: RealmValueType.timestamp.rawValue
                )
                try MemoryTests.expectLittle(
                    bytes,
                    count: 600_001,
                    dumpByteCount: 5 * 600_000 + 1
                )
            }
        }

        @Test func `a property of millions of dates of old is examined leaf by leaf`() async {
            await #expect(processExitsWith: .success) {
                var file = ForgedFile(version: 9)
                // The first number stands for null, the others are dates.
                let leaves = (0..<600).map { _ in file.zeros(1001) }
                let dates = file.references([
                    file.tree(leaves, of: 1000), file.zeros(leafCount: 600),
                ])
                let bytes = file.finish(column: dates, type: RealmValueType.timestamp.rawValue)
                let realm = try RealmReader(bytes: bytes)
                let taken = try PeakMemory.byteCount {
                    // No date may be nothing.
                    #expect(try refusal { try realm.examine() } == nil)
                    var count = 0
                    try realm.class(named: "Forged")?.forEachObject { object in
                        count += 1
                        return try object.value("property") == .null
                    }
                    #expect(count == 600_000)
                }
                #expect(taken < PeakMemory.limit(bytes), "\(taken) of \(PeakMemory.limit(bytes))")
            }
        }

        /// A quarter of a million primary keys in a megabyte: more than are kept at a time.
        @Test(arguments: [false, true])
        func `primary keys are compared in several passes`(isRepeated: Bool) async {
            await #expect(processExitsWith: .success) { [isRepeated = isRepeated as Bool] in
                let count = 250_000
                var file = ForgedFile()
                let leaves = stride(from: 0, to: count, by: 256).map { start in
                    let end = min(start + 256, count)
                    var keys = (start..<end).map { Int32($0) }
                    if isRepeated, end == count { keys[keys.count - 1] = 7 }
                    let leaf = file.array(narrow: keys)
                    return file.references([keys.count << 1 | 1, leaf])
                }
                let bytes = file.finish(
                    rows: file.clusters(leaves, rowCount: count),
                    type: Int64(RealmValueType.integer.rawValue),
                    attributes: 0,
                    isPrimary: true
                )
                #expect(Examination.Identities.passCount(for: count, in: bytes.count) > 1)
                let realm = try RealmReader(bytes: bytes)
                let taken = try PeakMemory.byteCount {
                    #expect(try refusal { try realm.examine() } == (isRepeated ? .damaged : nil))
                    let salvage = try RealmReader(salvagingBytes: bytes).salvage()
                    #expect(salvage.objectCount == (isRepeated ? count - 2 : count))
                }
                #expect(taken < PeakMemory.limit(bytes), "\(taken) of \(PeakMemory.limit(bytes))")
            }
        }

        /// Links that no target knows of: so few that they are told from each other, and so many that they are not.
        @Test(arguments: [10_000, 60_000])
        func `links that nobody knows of are left out, however many they are`(count: Int) async {
            await #expect(processExitsWith: .success) { [count = count as Int] in
                var file = ForgedFile()
                let leaves = stride(from: 0, to: count, by: 256).map { start in
                    let rows = start..<min(start + 256, count)
                    // Each links to the one after it, the last one to the first.
                    let links = file.array(narrow: rows.map { Int32(($0 + 1) % count + 1) })
                    return file.references([rows.count << 1 | 1, links])
                }
                let bytes = file.finish(
                    rows: file.clusters(leaves, rowCount: count),
                    type: Int64(RealmValueType.link.rawValue),
                    attributes: Int64(ColumnAttributes.nullable.rawValue),
                    linksToItself: true
                )
                let code = try refusal { try RealmReader(bytes: bytes).examine() }
                #expect(code == .damaged)
                let taken = try PeakMemory.byteCount {
                    let salvage = try RealmReader(salvagingBytes: bytes).salvage()
                    #expect(salvage.objectCount == count)
                    let isCoarse = count > 20_000
                    #expect(salvage.lossCounts[.doubtfulLinks] == count + (isCoarse ? 1 : 0))
                    try salvage.realm.class(named: "Forged")?.forEachObject { object in
                        let value = try object.value("property")
                        #expect(value == .null)
                        return value == .null
                    }
                }
                #expect(taken < max(12 << 20, 4 * bytes.count))
            }
        }

        /// Two bytes of each in the file: what is kept of a property is a hundred times that.
        @Test func `a class of very many properties is refused before they take too much`() async {
            await #expect(processExitsWith: .success) {
                var file = ForgedFile()
                let bytes = file.finish(columnCount: 60_000)
                let taken = try PeakMemory.byteCount {
                    let code = try refusal { _ = try RealmReader(bytes: bytes) }
                    #expect(code == .limitExceeded)
                }
                #expect(taken < max(12 << 20, 4 * bytes.count))
            }
        }
    }
#endif
