import RealmFile

/// What a coverage-guided fuzzer does with each of its inputs: `Tools/fuzz` builds and runs it.
///
/// A trap, a hang, bytes that are read outside the file, and more memory than it is told to allow are the fuzzer's own
/// to see. Beyond that an input that the examination passes has to be consistent, and so has what is saved of one that
/// it refuses; every error has to be a `RealmFileError`. Nothing is kept of what is read but what is compared.
@_cdecl("LLVMFuzzerTestOneInput")
public func readAsRealmFile(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    do {
        try read(bytes)
        try salvage(bytes)
    } catch {
        fatalError("An error that is not typed, or none in an examination: \(error)")
    }
    return 0
}

private func read(_ bytes: [UInt8]) throws {
    let realm: RealmReader
    do { realm = try RealmReader(bytes: bytes) } catch is RealmFileError { return }
    do {
        try realm.examine()
    } catch is RealmFileError {
        try readUnexamined(realm)
        return
    }
    try expectConsistency(of: realm, "sound")
    try dump(realm)
}

/// Must do no harm either, but may take for ever: any number of objects can have the same list.
private func readUnexamined(_ realm: RealmReader) throws {
    var countLeft = 1 << 20
    for realmClass in realm.classes {
        do {
            try realmClass.forEachObject { object in
                for property in realmClass.properties {
                    var walk = NestedWalk(try object.value(property))
                    while countLeft > 0, let value = try walk.next() { countLeft -= cost(value) }
                }
                return countLeft > 0
            }
        } catch is RealmFileError {}
    }
}

/// What a value takes of the time there is.
private func cost(_ value: RealmValue) -> Int {
    switch value {
    case .string(let text): 1 + text.utf8.count / 64
    case .data(let data): 1 + data.count / 64
    default: 1
    }
}

private func dump(_ realm: RealmReader) throws {
    var writer = RealmDumpWriter(realm)
    struct Enough: Error {}
    var countLeft = 1 << 24
    func take(_ text: [UInt8]) throws {
        countLeft -= text.count
        if countLeft < 0 { throw Enough() }
    }
    do {
        for realmClass in realm.classes {
            try writer.line(realmClass, flush: take)
            if realmClass.kind == .embedded { continue }
            try realmClass.forEachObject { object in
                try writer.line(object, flush: take)
                return true
            }
        }
    } catch is Enough {}
}

private func salvage(_ bytes: [UInt8]) throws {
    do {
        let salvage = try RealmReader(salvagingBytes: bytes).salvage()
        try expectConsistency(of: salvage.realm, "salvaged")
    } catch is RealmFileError {}
}

/// Counts, keys that grow, primary keys that do not repeat, links that lead somewhere, values that equal themselves.
private func expectConsistency(of realm: RealmReader, _ what: String) throws {
    let isRenumbered = hasRenumberedObjects(realm)
    // What is met when all objects are walked through, for links to be looked up in as well.
    var met: [Set<Int64>] = []
    for realmClass in realm.classes {
        var keys: Set<Int64> = []
        try realmClass.forEachObject { object in
            keys.insert(object.key)
            return true
        }
        met.append(keys)
    }
    for realmClass in realm.classes {
        var count = 0
        var lastKey: Int64 = -1
        var primaryKeys: Set<ExactText> = []
        try realmClass.forEachObject { object in
            count += 1
            if object.key <= lastKey { fatalError("\(what), and keys do not grow") }
            lastKey = object.key
            if let primary = realmClass.primaryKey {
                let key = ExactText("\(try object.value(primary))")
                if !primaryKeys.insert(key).inserted { fatalError("\(what), and keys repeat") }
            }
            for property in realmClass.properties {
                let value = try object.value(property)
                try expectConsistency(of: value, realm, met, isRenumbered, what)
            }
            return true
        }
        if count != realmClass.objectCount { fatalError("\(what), and \(count) objects") }
    }
}

private func expectConsistency(
    of value: RealmValue,
    _ realm: RealmReader,
    _ met: [Set<Int64>],
    _ isRenumbered: Bool,
    _ what: String
) throws {
    var walk = NestedWalk(value)
    while let value = try walk.next() {
        switch value {
        case .link(let link), .typedLink(let link):
            // Links to objects that are renumbered have other numbers (see ClusterTree).
            if isRenumbered { continue }
            let isMet = met.indices.contains(link.classIndex) && met[link.classIndex].contains(link.key)
            if try !isMet || realm.object(link) == nil {
                fatalError("\(what), and a link leads nowhere")
            }
        case .list(let elements), .set(let elements):
            let count = try elements.count()
            if count > 0 { _ = try elements.element(at: count - 1) }
        case .dictionary(let dictionary): _ = try dictionary.count()
        default: break
        }
    }
}

private func hasRenumberedObjects(_ realm: RealmReader) -> Bool {
    realm.storage.tables.contains { table in
        guard case .clusters(let root) = table.rows else { return false }
        return (try? ClusterTree(realm.storage.source, root: root).isOfTestBuild()) ?? false
    }
}
