import ExportFormats
import LegacyRecords
import RealmFile

/// A Realm file as both of its sources open it, and what they do before they believe it.
struct RealmOpening: Sendable {
    let path: String
    let stamp: ExportFile.Stamp
    let realm: RealmReader
    /// Whether parts of the file may be damaged.
    let salvages: Bool
    let identity: SourceIdentity

    init(
        path: String,
        key: [UInt8]?,
        name: String?,
        salvages: Bool,
        _ progress: (LegacyProgress) -> Bool
    ) throws(LegacyError) {
        self.path = path
        self.salvages = salvages
        identity = SourceIdentity(
            kind: RealmLibrarySource.kind,
            name: name,
            fileName: SourceFile.name(of: path)
        )
        (stamp, realm) = try SourceFile.open(path, progress) { opening in
            try opening.beginPass()
            return (opening.stamp, try Self.reader(opening, key, salvages: salvages))
        }
    }

    private static func reader(
        _ opening: SourceOpening,
        _ key: [UInt8]?,
        salvages: Bool
    ) throws(LegacyError) -> RealmReader {
        let progress: (RealmOpeningProgress) -> Bool = { step in
            opening.goesOn(toShare: Double(step.bytesRead) / Double(max(1, step.byteCount)))
        }
        do throws(RealmFileError) {
            return try salvages
                ? RealmReader(salvaging: opening.path, key: key, progress: progress)
                : RealmReader(path: opening.path, key: key, progress: progress)
        } catch {
            throw LegacyError(error)
        }
    }

    /// The hash of the file, which is as it was when it was opened.
    func contentHash(_ progress: (LegacyProgress) throws -> Void) throws -> ContentHash {
        try ExportFile.hash(of: path, in: stamp, progress)
    }

    /// Throws `.changedWhileReading` unless the file is as it was when it was opened.
    func checkUnchanged() throws(LegacyError) {
        try ExportFile.checkUnchanged(path, since: stamp)
    }

    /// Examines a file, or finds out what of it is whole.
    ///
    /// - Parameter makesModels: whether the classes of the file are the models of the store.
    /// - Returns: what to read it with.
    /// - Throws: what is wrong with a file that is examined; what `progress` and the report's consumer throw.
    func trusted(
        makesModels: Bool = false,
        _ report: LibraryReport,
        progress: (RealmProgress) throws -> Void
    ) throws -> RealmReader {
        guard salvages else {
            try realm.examine(progress: progress)
            try report.warn(ofTablesOf: realm)
            return realm
        }
        let salvage = try realm.salvage(progress: progress)
        try report.warn(of: salvage, makesModels: makesModels)
        try report.warn(ofTablesOf: salvage.realm)
        return salvage.realm
    }
}

extension LibraryReport {
    /// Says which tables with objects are no classes of an app: Realm's SDKs make none but those of their own, and
    /// programs that use Realm's core by itself may.
    fileprivate func warn(ofTablesOf realm: RealmReader) throws {
        for table in realm.classes
        where !table.isModel && !Self.isOwn(table.tableName) && table.objectCount > 0 {
            try warn(.skippedTable) {
                "The table \(Self.quoted(table.tableName)) is no class of an app; its \(table.objectCount) objects were"
                    + " left out."
            }
        }
    }

    /// Whether the SDKs keep a table for themselves: what they know of the schema, and of Sync's subscriptions.
    private static func isOwn(_ name: String) -> Bool {
        ["metadata", "pk", "sync_internal_schemas"].contains(name) || name.hasPrefix("flx_")
    }

    /// Says what is lost of a damaged file: one warning for each loss.
    fileprivate func warn(of salvage: RealmSalvage, makesModels: Bool) throws {
        if let fault = salvage.newestFault {
            try warn(.olderVersion) {
                "The newest version of the data cannot be read, and the one before it was taken: \(fault.message)"
            }
        }
        var counts = salvage.lossCounts
        for loss in salvage.losses {
            counts[loss.kind, default: 1] -= 1
            try warn(LegacyWarning.Kind(loss.kind)) {
                guard makesModels, loss.kind == .class else { return "Lost: \(loss)" }
                return "Lost: \(loss) A store that is made now has no model for it: "
                    + "migrate a sound file into a new store."
            }
        }
        // Of very many, not all are kept.
        for kind in RealmLoss.Kind.allCases {
            for _ in 0..<max(0, counts[kind, default: 0]) {
                try warn(LegacyWarning.Kind(kind)) { "More was lost of the same kind." }
            }
        }
    }
}

extension LegacyWarning.Kind {
    fileprivate init(_ kind: RealmLoss.Kind) {
        self =
            switch kind {
            case .class: .damagedClass
            case .objects: .damagedObject
            case .links, .doubtfulLinks, .origins: .damagedValue
            case .unclaimedBytes: .unclaimedBytes
            }
    }
}
