import RealmFile

/// What a coverage-guided fuzzer does with each of its inputs: `Tools/fuzz` builds and runs it.
///
/// A trap, a hang, and more memory than the fuzzer is told to allow are its own to see. Beyond that an input that the
/// examination passes has to be consistent, and so has what is saved of one that it refuses; every error has to be a
/// `RealmFileError`.
@_cdecl("LLVMFuzzerTestOneInput")
public func readAsRealmFile(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    do {
        if let content = try Verdict(bytes).content { expectConsistency(of: content, "sound") }
        try salvage(bytes)
    } catch {
        fatalError("An error that is not typed: \(error)")
    }
    return 0
}

private func salvage(_ bytes: [UInt8]) throws {
    do {
        let salvage = try RealmReader(salvagingBytes: bytes).salvage()
        expectConsistency(of: try Content(salvage.realm), "salvaged")
    } catch is RealmFileError {}
}

private func expectConsistency(of content: Content, _ what: String) {
    let contradictions = content.contradictions
    guard contradictions.isEmpty else { fatalError("\(what), and \(contradictions)") }
}
