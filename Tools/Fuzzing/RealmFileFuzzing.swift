import RealmFile

/// What a coverage-guided fuzzer does with each of its inputs: `Tools/fuzz` builds and runs it.
///
/// A trap, a hang, bytes that are read outside the file, and more memory than it is told to allow are the fuzzer's own
/// to see. Beyond that an input that the examination passes has to be consistent, and so has what is saved of one that
/// it refuses; every error has to be a `RealmFileError`.
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
    expectConsistency(of: try Content(realm), realm, "sound")
}

/// Must do no harm either, but may take for ever: any number of objects can have the same list.
private func readUnexamined(_ realm: RealmReader) throws {
    var byteCountLeft = 64 << 20
    for realmClass in realm.classes {
        do {
            try realmClass.forEachObject { object in
                for property in realmClass.properties {
                    byteCountLeft -= heldByteCount(try object.value(property))
                }
                return byteCountLeft > 0
            }
        } catch is RealmFileError {}
    }
}

private func heldByteCount(_ value: RealmValue) -> Int {
    switch value {
    case .list(let values), .set(let values): values.reduce(0) { $0 + heldByteCount($1) }
    case .dictionary(let entries): entries.reduce(0) { $0 + 2 * heldByteCount($1.value) }
    default: value.heldByteCount
    }
}

private func salvage(_ bytes: [UInt8]) throws {
    do {
        let salvage = try RealmReader(salvagingBytes: bytes).salvage()
        expectConsistency(of: try Content(salvage.realm), salvage.realm, "salvaged")
    } catch is RealmFileError {}
}

private func expectConsistency(of content: Content, _ realm: RealmReader, _ what: String) {
    var contradictions = content.contradictions
    // Links to them have other numbers (see ClusterTree).
    if hasRenumberedObjects(realm) {
        contradictions.removeAll { $0.hasSuffix(": a link leads nowhere") }
    }
    guard contradictions.isEmpty else { fatalError("\(what), and \(contradictions)") }
}

private func hasRenumberedObjects(_ realm: RealmReader) -> Bool {
    realm.storage.tables.contains { table in
        guard case .clusters(let root) = table.rows else { return false }
        return (try? ClusterTree(realm.storage.source, root: root).isOfTestBuild()) ?? false
    }
}
