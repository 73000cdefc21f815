import FaultSupport
import Reprise
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A change of the schema is there as a whole or not at all, whatever ends the process that makes it (STO-82, STO-94).
///
/// `REPRISE_KILLS` sets how many kills there are, as a multiple of 50.
@Suite(.serialized) struct `Killed changes of the schema` {
    @Test(arguments: ArchiveStore.Views.allCases)
    func `a kill at any moment of a change leaves the old schema or the new one, whole`(
        _ views: ArchiveStore.Views
    ) async throws {
        // STO-82
        let archive = try ArchiveStore(2000, views: views)
        let whole = try await duration(of: archive)
        var generator = SeededGenerator(seed: UInt64(KillTests.seed))
        let killCount = max(8, KillTests.killCount * 10 / 50)
        for round in 0..<killCount {
            let path = try archive.copy("killed-\(round)")
            let results = AcknowledgementFile(path: archive.scratch("results-\(round)"))
            let worker = archive.worker("do=change", "path=" + path, results: results)
            // One moment in each part of the whole time, and one or two behind it.
            let delay = (round * 1000 + generator.below(1000)) * whole / (killCount * 950)
            _ = await worker.killed(after: .microseconds(delay)) { !results.lines.isEmpty }
            // Nothing may depend on what the process has left in the lock file.
            let state = try archive.expectWhole(path)
            if results.lines.count == 2 { #expect(state == .after, "the change had ended") }
            archive.remove(path)
        }
    }

    /// How many microseconds the change takes.
    private func duration(of archive: ArchiveStore) async throws -> Int {
        let path = try archive.copy("undisturbed")
        let results = AcknowledgementFile(path: archive.scratch("results"))
        #expect(await archive.worker("do=change", "path=" + path, results: results).end() == .exit(0))
        let state = try archive.state(of: path)
        #expect(state == .after)
        return try #require(results.lines.last.flatMap { Int($0) })
    }

    @Test(arguments: ["function=0", "function=999", "function=1999", "closure=0", "closure=1000"])
    func `a program that dies in its own function or closure leaves the store as it was`(
        _ ambush: String
    ) async throws {
        // STO-91, STO-93, STO-94
        let archive = try ArchiveStore(2000)
        let results = AcknowledgementFile(path: archive.scratch("results"))
        let worker = archive.worker("do=change", "path=" + archive.path, ambush, results: results)
        let ending = await worker.end()
        #expect(results.lines == ["begins"])
        guard case .signal = ending else {
            Issue.record("The process did not die: \(ending). \(archive.output)")
            return
        }
        let state = try archive.expectWhole(archive.path)
        #expect(state == .before)
    }
}

#if canImport(Glibc)
    /// The same at each write and sync, from a record of them; and when power fails.
    @Suite struct `Every write of a change of the schema` {
        @Test(arguments: ArchiveStore.Views.allCases)
        func `what is on the disk after any of them is the old schema or the new one`(
            _ views: ArchiveStore.Views
        ) async throws {
            // STO-82
            let (archive, base, calls) = try await recordChange(views)
            var states: [ArchiveStore.State] = []
            var bytes = base
            for count in 0...calls.count {
                if count > 0 { calls[count - 1].apply(to: &bytes) }
                // Not all of those that are before the last sync, but where it becomes interesting.
                guard count < 4 || count > calls.count - 4 || count % 8 == 0 else { continue }
                try archive.replace("cut", with: bytes)
                states.append(try archive.state(of: archive.scratch("cut"), verifies: count > calls.count - 4))
            }
            let made = try #require(states.firstIndex(of: .after))
            #expect(states[made...].allSatisfy { $0 == .after })
            // The last write is the one that makes it, but for those that take the old views away.
            if views == .present { #expect(states.count - made <= 2, "\(states)") }
        }

        @Test func `what was not synced may be lost in any part`() async throws {
            // STO-82, STO-12
            let (archive, base, calls) = try await recordChange(.present)
            let synced = try #require(calls.lastIndex { $0.isSync })
            let commit = try #require(calls.lastIndex { !$0.isSync })
            // Everything is synced before the page that makes it valid is written.
            #expect(synced < commit)
            #expect(calls[synced...].count { !$0.isSync } == 1)
            var generator = SeededGenerator(seed: UInt64(KillTests.seed))
            for _ in 0..<12 {
                var bytes = base
                for call in calls[..<synced] where generator.below(3) > 0 {
                    let isCut = generator.below(4) == 0
                    call.apply(to: &bytes, upTo: isCut ? generator.below(call.bytes.count + 1) : nil)
                }
                try archive.replace("lost", with: bytes)
                let state = try archive.state(of: archive.scratch("lost"))
                #expect(state == .before)
            }
            // A disk that does not sync is found out: the checks above can fail.
            var bytes = base
            calls[commit].apply(to: &bytes)
            try archive.replace("lost", with: bytes)
            #expect(throws: StoreError.self) { try Store.open(existing: archive.scratch("lost")).close() }
        }

        private func recordChange(
            _ views: ArchiveStore.Views
        ) async throws -> (ArchiveStore, base: [UInt8], [DiskCall]) {
            let archive = try ArchiveStore(400, views: views)
            let base = contents(ofFile: archive.path + "/data.mdb")
            let results = AcknowledgementFile(path: archive.scratch("results"))
            let journal = archive.scratch("journal")
            let worker = archive.worker(
                "do=record-change",
                "path=" + archive.path,
                "journal=" + journal,
                results: results
            )
            let ending = await worker.end()
            #expect(ending == .exit(0), "\(archive.output)")
            let calls = DiskCall.all(in: contents(ofFile: journal))
            // So that a record of nothing cannot pass.
            try #require(calls.count > 40)
            var bytes = base
            for call in calls { call.apply(to: &bytes) }
            try #require(bytes == contents(ofFile: archive.path + "/data.mdb"))
            return (archive, base, calls)
        }
    }

    /// A write of a page to a file or, at a negative offset, a sync of it.
    private struct DiskCall {
        let offset: Int
        let bytes: [UInt8]
        var isSync: Bool { offset < 0 }

        static func all(in journal: [UInt8]) -> [DiskCall] {
            var calls: [DiskCall] = []
            var place = 0
            func number(at place: Int) -> Int {
                Int(
                    truncatingIfNeeded: (0..<8).reduce(0 as UInt64) {
                        $0 | UInt64(journal[place + $1]) << UInt64(8 * $1)
                    }
                )
            }
            while place + 16 <= journal.count {
                let (offset, count) = (number(at: place), number(at: place + 8))
                place += 16
                if count == 0 { calls.append(DiskCall(offset: offset, bytes: [])) }
                // A kill and a power cut divide a write between pages.
                for start in stride(from: 0, to: count, by: 4096) {
                    let part = journal[(place + start)..<(place + min(start + 4096, count))]
                    calls.append(DiskCall(offset: offset + start, bytes: Array(part)))
                }
                place += count
            }
            return calls
        }

        /// - Parameter count: how many bytes reach the disk; nil is all.
        func apply(to file: inout [UInt8], upTo count: Int? = nil) {
            guard !isSync else { return }
            let end = offset + (count ?? bytes.count)
            if file.count < end { file += [UInt8](repeating: 0, count: end - file.count) }
            file.replaceSubrange(offset..<end, with: bytes[..<(end - offset)])
        }
    }
#endif
