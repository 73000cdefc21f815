import ExportFormats
import LegacyRecords
import MusicVocabulary
import RealmFile

/// Turns the objects of a Realm file into the records of a music library.
final class RealmLibraryReader {
    /// A class that is a model of the music library. An object, as are its columns: they are passed on for every value.
    private final class MusicClass {
        let realmClass: RealmClass
        let mapping: MusicClassMapping
        /// Those of the mapping's fields, in their order.
        let columns: [Column]
        let members: RealmClass.Property?
        let owner: RealmClass.Property?
        /// Whether a class before it is the same model: then their primary keys may be the same.
        let isFurther: Bool

        init(_ realmClass: RealmClass, _ mapping: MusicClassMapping, isFurther: Bool) {
            self.realmClass = realmClass
            self.mapping = mapping
            columns = mapping.fields.map {
                Column(property: realmClass.properties[$0.property], field: $0.field)
            }
            members = mapping.members.map { realmClass.properties[$0] }
            owner = mapping.owner.map { realmClass.properties[$0] }
            self.isFurther = isFurther
        }
    }

    /// A property, and the field of the music library that it becomes.
    private final class Column {
        let property: RealmClass.Property
        let field: MusicField
        let isMilliseconds: Bool

        init(property: RealmClass.Property, field: MusicField) {
            self.property = property
            self.field = field
            isMilliseconds = field.name == "duration" && DurationUnit.isMilliseconds(property.name)
        }
    }

    private let source: RealmLibrarySource
    private let report: LibraryReport
    /// What is read with: the source's, or one for what is whole.
    private var realm: RealmReader
    private var tracks: [MusicClass] = []
    private var albums: [MusicClass] = []
    private var playlists: [MusicClass] = []
    /// Where the last object of each class was found, by the places of the classes.
    private var lookups: [RealmClass.Lookup] = []
    /// The objects that were handed on, by the places of their classes.
    private var emitted: [NumberSet] = []
    /// Those of which it was said that they have no usable key.
    private var warned: [NumberSet] = []
    private let memory = RecordMemory()
    private var steps: RealmReadingSteps

    init(
        _ source: RealmLibrarySource,
        consume: @escaping (LegacyEvent) throws -> Void
    ) throws {
        self.source = source
        report = LibraryReport(consume)
        steps = RealmReadingSteps(byteCount: source.byteCount, recordPartCount: 1)
        realm = source.file.realm
        guard Self.musicClasses(of: realm)[.track] != nil else { throw Self.notALibrary(realm) }
    }

    /// The classes that are models of the music library.
    private static func musicClasses(of realm: RealmReader) -> [MusicModel: [MusicClass]] {
        let models = realm.classes.map {
            $0.isModel && $0.kind == .topLevel ? MusicModel(className: $0.name) : nil
        }
        var classes: [MusicModel: [MusicClass]] = [:]
        for (realmClass, model) in zip(realm.classes, models) {
            guard let model else { continue }
            let isFurther = classes[model] != nil
            classes[model, default: []]
                .append(Self.musicClass(realmClass, model, models, isFurther: isFurther))
        }
        return classes
    }

    /// The fields of the music library that no property of the file is.
    static func absentFields(of realm: RealmReader) -> [String: Set<String>] {
        let classes = musicClasses(of: realm)
        var absent: [String: Set<String>] = [:]
        for model in MusicModel.allCases {
            let known = classes[model] ?? []
            var names = Set(model.fields.map(\.name))
            for mapping in known.map(\.mapping) {
                names.subtract(mapping.fields.map(\.field.name))
                if mapping.owner != nil { names.remove(model == .track ? "album" : "parent") }
                if mapping.members != nil { names.remove("tracks") }
            }
            absent[model.rawValue] = names
        }
        // A track is in the album whose list names it; that list follows from the tracks.
        let albums = classes[.album] ?? []
        if albums.contains(where: { $0.mapping.members != nil }) {
            absent[MusicModel.track.rawValue]?.remove("album")
        }
        absent[MusicModel.album.rawValue]?.insert("tracks")
        return absent
    }

    /// Whether each link of a class of music is a field of the music library.
    static func hasPlacesForLinks(of realm: RealmReader) -> Bool {
        musicClasses(of: realm).values.joined().allSatisfy { musicClass in
            musicClass.realmClass.properties.allSatisfy { property in
                property.targetIndex == nil || !musicClass.mapping.unmapped.contains(property.name)
            }
        }
    }

    private static func musicClass(
        _ realmClass: RealmClass,
        _ model: MusicModel,
        _ models: [MusicModel?],
        isFurther: Bool
    ) -> MusicClass {
        let properties = realmClass.properties.map { property in
            MusicClassMapping.Property(
                name: property.name,
                target: property.targetIndex.flatMap { models[$0] },
                isCollection: property.collection != .none
            )
        }
        let mapping = MusicClassMapping(model, properties, identifier: realmClass.primaryKey?.index)
        return MusicClass(realmClass, mapping, isFurther: isFurther)
    }

    private static func notALibrary(_ realm: RealmReader) -> LegacyError {
        let names = realm.classes.filter(\.isModel).prefix(12).map(\.name).joined(separator: ", ")
        return LegacyError(
            .notALibrary,
            "The Realm file has no class of tracks; its classes are: \(names.isEmpty ? "none" : names).",
            advice: "Look at it with `reprise realm info`."
        )
    }

    // MARK: Reading

    func read() throws -> LegacyReading {
        let source = source
        realm = try source.file.trusted(report) { [self] progress in
            try report.consume(
                .progress(steps.progress(done: progress.objectsRead, of: progress.objectCount))
            )
        }
        lookups = realm.classes.map { $0.lookup() }
        emitted = realm.classes.map { _ in NumberSet(in: memory) }
        warned = realm.classes.map { _ in NumberSet(in: memory) }
        let classes = Self.musicClasses(of: realm)
        tracks = classes[.track] ?? []
        albums = classes[.album] ?? []
        playlists = classes[.playlist] ?? []
        steps.begin()
        let hash = try source.contentHash { [self] progress in
            try report.consume(
                .progress(
                    steps.progress(
                        done: Int(clamping: progress.bytesRead),
                        of: Int(clamping: progress.byteCount)
                    )
                )
            )
        }
        steps.begin((tracks + albums + playlists).reduce(0) { $0 + $1.realmClass.objectCount })
        try warnOfProperties()
        for album in albums { try emitAlbums(album) }
        for track in tracks { try emitRemainingTracks(track) }
        for playlist in playlists { try emitPlaylists(playlist) }
        try source.file.checkUnchanged()
        var reading = report.reading
        reading.byteCount = source.byteCount
        reading.contentHash = hash
        return reading
    }

    private func warnOfProperties() throws {
        for musicClass in tracks + albums + playlists {
            for name in musicClass.mapping.unmapped {
                try report.warn(.unmappedProperty) {
                    "The music library has no field for \(musicClass.realmClass.name).\(name); it was left out."
                }
            }
        }
        let known = Set((tracks + albums + playlists).map(\.realmClass.index))
        for realmClass in realm.classes
        where realmClass.isModel && realmClass.kind == .topLevel
            && !known.contains(realmClass.index)
        {
            guard realmClass.objectCount > 0, !realmClass.name.hasPrefix("__") else { continue }
            try report.warn(.unmappedClass) {
                "The music library has no model for \(realmClass.name); its \(realmClass.objectCount) objects "
                    + "were left out."
            }
        }
    }

    private func advance() throws {
        if let progress = steps.advance() { try report.consume(.progress(progress)) }
    }

    // MARK: Albums and tracks

    private func emitAlbums(_ album: MusicClass) throws {
        try album.realmClass.forEachObject { object in
            let key = try key(of: object, album)
            try report.emit(
                LegacyRecord(
                    className: album.mapping.model.rawValue,
                    key: key.text,
                    fields: try fields(object, album)
                )
            )
            try advance()
            try forEachLink(object, album.members) { try emitMember($0, of: key.text, album) }
            return true
        }
    }

    /// A track in the list of an album.
    private func emitMember(_ link: RealmLink, of albumKey: String, _ album: MusicClass) throws {
        guard let track = tracks.first(where: { $0.realmClass.index == link.classIndex }),
            let object = try target(of: link)
        else {
            try report.warn(.missingTrack) {
                "Album \(LibraryReport.quoted(albumKey)) names an object that is no track; it was left out."
            }
            return
        }
        guard try emitted[link.classIndex].insert(link.key) else {
            try report.warn(.repeatedMember) {
                "A track of album \(LibraryReport.quoted(albumKey)) is in an album before, or in this one twice; "
                    + "it stays where it was first."
            }
            return
        }
        try emit(object, track, album: albumKey)
    }

    private func emitRemainingTracks(_ track: MusicClass) throws {
        try track.realmClass.forEachObject { object in
            if try emitted[track.realmClass.index].contains(object.key) { return true }
            var albumKey: String?
            if let owner = track.owner, case .link(let link) = try object.value(owner),
                let album = albums.first(where: { $0.realmClass.index == link.classIndex }),
                let target = try target(of: link)
            {
                albumKey = try key(of: target, album).text
            }
            try emit(object, track, album: albumKey)
            return true
        }
    }

    private func emit(_ object: RealmObject, _ track: MusicClass, album: String?) throws {
        let key = try key(of: object, track)
        var fields = try fields(object, track)
        if let album { fields.append(LegacyField("album", .reference(album))) }
        try report.emit(
            LegacyRecord(
                className: MusicModel.track.rawValue,
                key: key.text,
                fields: fields
            )
        )
        try advance()
    }

    // MARK: Playlists

    private func emitPlaylists(_ playlist: MusicClass) throws {
        try playlist.realmClass.forEachObject { object in
            let key = try key(of: object, playlist)
            var fields = try fields(object, playlist)
            if let owner = playlist.owner, case .link(let link) = try object.value(owner),
                let other = playlists.first(where: { $0.realmClass.index == link.classIndex }),
                let parent = try target(of: link)
            {
                fields.append(LegacyField("parent", .reference(try self.key(of: parent, other).text)))
            }
            var entries = LegacyReferences()
            try forEachLink(object, playlist.members) { link in
                guard let track = tracks.first(where: { $0.realmClass.index == link.classIndex }),
                    let target = try target(of: link)
                else {
                    try report.warn(.missingTrack) {
                        "Playlist \(LibraryReport.quoted(key.text)) names an object that is no track; it was left out."
                    }
                    return
                }
                try entries.append(RecordKey(try self.key(of: target, track).text))
            }
            fields.append(LegacyField("tracks", .references(entries)))
            try report.emit(
                LegacyRecord(
                    className: MusicModel.playlist.rawValue,
                    key: key.text,
                    fields: fields
                )
            )
            try advance()
            return true
        }
    }

    // MARK: Values

    private func target(of link: RealmLink) throws -> RealmObject? {
        guard lookups.indices.contains(link.classIndex) else { return nil }
        return try lookups[link.classIndex].object(withKey: link.key)
    }

    private func forEachLink(
        _ object: RealmObject,
        _ property: RealmClass.Property?,
        _ body: (RealmLink) throws -> Void
    ) throws {
        guard let property else { return }
        let missingCount = try object.unresolvedLinkCount(property)
        if missingCount > 0 {
            try report.warn(.unresolvedLink) {
                "\(object.realmClass.name) \(object.key) names \(missingCount) objects that never arrived; "
                    + "they were left out of \(property.name)."
            }
        }
        switch try object.value(property) {
        case .list(let elements), .set(let elements):
            try elements.forEach { element in
                if case .link(let link) = element { try body(link) }
                return true
            }
        default: return
        }
    }

    private func fields(_ object: RealmObject, _ musicClass: MusicClass) throws -> [LegacyField] {
        var fields: [LegacyField] = []
        fields.reserveCapacity(musicClass.columns.count + 1)
        for column in musicClass.columns {
            let value = try object.value(column.property)
            if value.isRoundedDate {
                try report.warn(.roundedDate) {
                    "\(musicClass.realmClass.name) \(object.key): its \(column.property.name) was rounded; "
                        + "a Date does not hold so many digits."
                }
            }
            let legacy = column.isMilliseconds ? value.legacy?.inSeconds : value.legacy
            switch MusicValue.fitted(legacy, to: column.field.kind) {
            case .value(let value): fields.append(LegacyField(column.field.name, value))
            case .missing:
                // A value that no source has a word for, and not just nothing.
                if case .null = value { continue }
                try leaveOut(
                    .unexpectedType,
                    "holds what the music library cannot",
                    object,
                    column.property
                )
            case .refused(let kind, let reason):
                try leaveOut(kind, reason, object, column.property)
            }
        }
        return fields
    }

    private func leaveOut(
        _ kind: LegacyWarning.Kind,
        _ reason: String,
        _ object: RealmObject,
        _ property: RealmClass.Property
    ) throws {
        try report.warn(kind) {
            "\(object.realmClass.name) \(object.key): its \(property.name) \(reason) and was left out."
        }
    }

    /// The key of an object's record.
    private func key(of object: RealmObject, _ musicClass: MusicClass) throws -> RealmRecordKeys.Key {
        let key = try RealmRecordKeys.key(of: object, isFurther: musicClass.isFurther)
        let isMade = key.replacesPrimaryKey || musicClass.realmClass.primaryKey == nil
        if isMade, try warned[musicClass.realmClass.index].insert(object.key) {
            try report.warn(.missingKey) {
                "\(musicClass.realmClass.name) \(object.key) has no usable primary key; it gets \(key.text)."
            }
        }
        return key
    }
}
