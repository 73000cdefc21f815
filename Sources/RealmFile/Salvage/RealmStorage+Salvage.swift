/// How a damaged file was opened.
struct SalvageOpening: Sendable {
    /// What could not be read of the classes.
    var losses: [RealmLoss] = []
    /// Why the newest version of the data cannot be read, where an older one is used.
    var newestFault: RealmFileError?
    /// Bytes that belong to something that nothing names any more; nil where that cannot be told.
    var unclaimedByteCount: Int?
}

extension RealmStorage {
    /// Opens a file of which parts may be damaged: with the newest root that leads to names of classes.
    ///
    /// - Parameter progress: called about every four megabytes with how many are gone through; throwing ends it.
    /// - Throws: the fault of the newest root, where the other one leads nowhere either; what `progress` throws.
    static func salvaging(
        _ image: FileImage,
        _ progress: (Int) throws(RealmFileError) -> Void = { _ in }
    ) throws(RealmFileError) -> RealmStorage {
        let bytes = image.bytes
        guard FileHeader.isMet(in: bytes) else {
            throw RealmFileError(.notARealm, "The file is not a Realm file, or it is encrypted.")
        }
        let live = FileHeader.liveSlot(bytes)
        let fault: RealmFileError
        do throws(RealmFileError) {
            return try salvaging(image, slot: live, newestFault: nil, progress)
        } catch {
            fault = error
        }
        // What is not read in the newest version is not damage, and an older one is no answer to it.
        guard fault.code != .unsupportedFormat, fault.code != .cancelled else { throw fault }
        do throws(RealmFileError) {
            let older = try salvaging(image, slot: 1 - live, newestFault: fault) {
                _ throws(RealmFileError) in try progress(image.byteCount)
            }
            guard older.header.root != nil else { throw fault }
            return older
        } catch {
            throw error.code == .cancelled ? error : fault
        }
    }

    private static func salvaging(
        _ image: FileImage,
        slot: Int,
        newestFault: RealmFileError?,
        _ progress: (Int) throws(RealmFileError) -> Void
    ) throws(RealmFileError) -> RealmStorage {
        let header = try FileHeader(image.bytes, slot: slot, mayBeCut: true)
        let soundness = try FileSurvey.soundBytes(in: image.bytes, header, progress)
        var source = NodeSource(image, header.version)
        source.soundness = soundness
        var opening = SalvageOpening(
            newestFault: newestFault,
            unclaimedByteCount: soundness.unclaimedByteCount
        )
        guard let root = header.root else {
            return RealmStorage(header, source, ClassDirectory([]), [], opening)
        }
        let group = try GroupLayout(
            source,
            root: root,
            mayBeCut: true,
            keepsLost: soundness.unclaimedByteCount != 0
        )
        guard Set(group.entries.map { ExactText($0.name) }).count == group.entries.count else {
            throw RealmFileError(.damaged, "Two classes have the same name.", at: root)
        }
        let limited = source.limited
        let (tables, directory) =
            try header.version.hasClusters
            ? clusterTables(group, limited, &opening) : oldTables(group, limited, &opening)
        return RealmStorage(header, source, directory, tables, opening)
    }

    private static func clusterTables(
        _ group: GroupLayout,
        _ source: NodeSource,
        _ opening: inout SalvageOpening
    ) throws(RealmFileError) -> ([TableLayout], ClassDirectory) {
        var keys: [Int64] = []
        var lost: [Int64: Int] = [:]
        for (index, entry) in group.entries.enumerated() {
            do throws(RealmFileError) {
                let top = try source.node(at: entry.reference).checked(as: .references)
                keys.append(try TableLayout.tableKey(top, entry))
            } catch {
                // No class has such a number.
                keys.append(-1 - Int64(index))
                lost[Int64(entry.position)] = index
            }
        }
        guard Set(keys).count == keys.count else {
            throw RealmFileError(.damaged, "Two classes have the same number.")
        }
        let directory = ClassDirectory(keys, lost: lost)
        var tables: [TableLayout] = []
        for (index, entry) in group.entries.enumerated() {
            tables.append(
                table(entry, &opening) { () throws(RealmFileError) in
                    let table = try TableLayout(
                        clustersAt: entry,
                        classIndex: index,
                        source,
                        directory
                    )
                    // Every class has a tree of rows, be it empty.
                    if case .none = table.rows {
                        throw RealmFileError(
                            .damaged,
                            "The objects of a class lie nowhere.",
                            at: entry.reference
                        )
                    }
                    return table
                }
            )
        }
        return (tables, directory)
    }

    private static func oldTables(
        _ group: GroupLayout,
        _ source: NodeSource,
        _ opening: inout SalvageOpening
    ) throws(RealmFileError) -> ([TableLayout], ClassDirectory) {
        let entries = group.entries.filter { $0.name != primaryKeyTable }
        let positions = Dictionary(
            uniqueKeysWithValues: entries.enumerated().map { ($1.position, $0) }
        )
        var primaryKeys: [ExactText: String] = [:]
        if let entry = group.entries.first(where: { $0.name == primaryKeyTable }) {
            // Without them no object could be told from another one.
            primaryKeys = try Self.primaryKeys(entry, source)
        }
        var tables: [TableLayout] = []
        for (index, entry) in entries.enumerated() {
            tables.append(
                table(entry, &opening) { () throws(RealmFileError) in
                    try TableLayout(
                        columnsAt: entry,
                        classIndex: index,
                        source,
                        positions: positions,
                        primaryKey: primaryKeys[ExactText(RealmClass.name(ofTable: entry.name))]
                    )
                }
            )
        }
        return (tables, ClassDirectory([]))
    }

    /// A class, or in place of one that cannot be read one that has nothing.
    private static func table(
        _ entry: GroupLayout.Entry,
        _ opening: inout SalvageOpening,
        _ read: () throws(RealmFileError) -> TableLayout
    ) -> TableLayout {
        do throws(RealmFileError) {
            return try read()
        } catch {
            opening.losses.append(
                RealmLoss(.class, RealmClass.name(ofTable: entry.name), error)
            )
            return TableLayout(lost: entry)
        }
    }
}

extension TableLayout {
    /// Stands for a class that cannot be read.
    fileprivate init(lost entry: GroupLayout.Entry) {
        self.init(
            tableName: entry.name,
            tableKey: Int64(entry.position),
            kind: .topLevel,
            rows: .none,
            rowCount: 0,
            columns: [],
            properties: [],
            primaryKeyIndex: nil,
            isLost: true
        )
    }
}
