import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `reprise branch create`, `list` and `drop`.
struct BranchCommand: Command {
    enum Action: Sendable {
        case create(StoreLocation, at: Point)
        case list
        /// Removes a branch; `isForced` where it may have changes that were not merged.
        case drop(StoreLocation, isForced: Bool)
    }

    var store: StoreLocation
    var action: Action
    /// Only shows what would be made or removed.
    var isPlanOnly = false
    var isJSON = false

    func run(in console: inout Console) throws -> Outcome {
        switch action {
        case .create(let new, let point): try create(new, at: point, &console)
        case .list: try list(&console)
        case .drop(let branch, let isForced): try drop(branch, isForced: isForced, &console)
        }
        return .done
    }

    private func create(_ new: StoreLocation, at point: Point, _ console: inout Console) throws {
        let progress = console.progress("Copying", unit: "event")
        let interruption = console.interruption
        try store.open(for: .reading) { store in
            defer { progress.finish() }
            try point.check(in: store)
            if isPlanOnly { return try planCreation(of: new, in: store, at: point, &console) }
            let begins = try store.resolve(point)
            let branch = try CommandFailure.creating {
                try store.branch(to: new.path, at: point) { progress.note($0, interruption) }
            }
            defer { branch.close() }
            progress.finish()
            if isJSON {
                let digest = try branch.read { $0.digest }
                try console.json { writer in
                    writer.member("branch", new.path)
                    writer.member("begins", begins.rawValue)
                    writer.member("digest", digest.description)
                }
            } else {
                try console.output.line("Made \(DisplayWidth.visible(new.path)), which goes on from \(begins).")
                if try store.status(ofBranch: branch) == nil {
                    try console.output.line(
                        "It begins before the store itself did, so it is a branch of the store before: merge it there."
                    )
                }
            }
        }
    }

    /// Begins to make the branch and cancels, which leaves nothing. So what forbids the branch forbids the plan.
    private func planCreation(
        of new: StoreLocation,
        in store: Store,
        at point: Point,
        _ console: inout Console
    ) throws {
        try CommandFailure.creating {
            do {
                try store.branch(to: new.path, at: point) { _ in false }.close()
            } catch let error as StoreError where error.code == .cancelled {}
        }
        let begins = try store.resolve(point)
        if isJSON {
            try console.json { writer in
                writer.member("branch", new.path)
                writer.member("begins", begins.rawValue)
            }
        } else {
            try console.output.line("Would make \(DisplayWidth.visible(new.path)), which goes on from \(begins).")
        }
    }

    // MARK: List

    private func list(_ console: inout Console) throws {
        let found = try store.open(for: .reading) { store in
            try neighbours().compactMap { path in try status(of: path, in: store, console).map { (path, $0) } }
        }
        if isJSON {
            for (path, status) in found {
                try console.json { writer in
                    writer.member("branch", path)
                    writer.member("begins", status.begins.rawValue)
                    writer.member("head", status.head.rawValue)
                    if let merged = status.mergedUpTo { writer.member("merged", merged.rawValue) }
                }
            }
            return
        }
        guard !found.isEmpty else { return console.noteNothing("No branch lies beside the store.") }
        let rows = found.map { path, status in
            [path, "\(status.begins)", "\(status.head)", status.mergedUpTo.map { "\($0)" } ?? ""]
        }
        let table = TextTable(
            [
                .init(heading: "branch"), .init(heading: "begins", isNumeric: true),
                .init(heading: "head", isNumeric: true), .init(heading: "merged up to", isNumeric: true),
            ],
            sample: rows,
            in: console.outputTraits
        )
        try console.output.line(table.header)
        for row in rows { try console.output.line(table.line(row)) }
    }

    /// The paths of what lies beside the store and looks like a store, by name.
    private func neighbours() throws -> [String] {
        let manager = FileManager.default
        let own = URL(filePath: store.path).standardizedFileURL
        let parent = own.deletingLastPathComponent().path(percentEncoded: false)
        // Shown as the store's own path was typed.
        var typed = Substring(store.path)
        while typed.count > 1, typed.last == "/" { typed.removeLast() }
        let name = own.lastPathComponent
        let folder = typed.hasSuffix(name) ? String(typed.dropLast(name.count)) : parent
        return try manager.contentsOfDirectory(atPath: parent).sorted().filter { name in
            name != own.lastPathComponent && !name.hasPrefix(".")
                && manager.fileExists(atPath: "\(parent)/\(name)/data.mdb")
        }.map { folder + $0 }
    }

    /// What the store has to do with the one at a path; nil where that is no branch, or cannot be read.
    private func status(of path: String, in store: Store, _ console: Console) throws -> BranchStatus? {
        do {
            return try StoreLocation(path: path).open(for: .reading, checkedByteCountMax: 0) {
                try store.status(ofBranch: $0)
            }
        } catch let error as StoreError {
            console.note("\(DisplayWidth.visible(path)) was not looked at. \(error.message)")
            return nil
        }
    }

    // MARK: Drop

    private func drop(_ branch: StoreLocation, isForced: Bool, _ console: inout Console) throws {
        let isRemoved = try store.open(for: .reading) { store in
            try branch.open(for: .reading) { opened in
                guard let status = try store.status(ofBranch: opened) else {
                    throw CommandFailure(
                        .no,
                        "\"\(DisplayWidth.visible(branch.path))\" is no branch of the store.",
                        advice: "`reprise branch list \(self.store.path)` shows those beside it."
                    )
                }
                if !isForced { try checkMerged(opened, into: store) }
                if isPlanOnly {
                    try planDrop(of: opened, from: store, isForced: isForced, &console)
                    return true
                }
                // Without the branch they are of no use.
                _ = try? opened.pruneCheckpoints(all: true)
                return StoreRemoval.remove(opened, unchangedSince: status.head, keepsFolder: false)
            }
        }
        guard isRemoved else {
            throw CommandFailure(
                .inUse,
                "Another process has the branch open, or has written to it a moment ago.",
                advice: "Look at it again."
            )
        }
        if isJSON {
            try console.json { $0.member("dropped", branch.path) }
        } else if !isPlanOnly {
            try console.output.line("Dropped \(DisplayWidth.visible(branch.path)).")
        }
    }

    private func planDrop(of branch: Store, from store: Store, isForced: Bool, _ console: inout Console) throws {
        if isJSON { return }
        var line = "Would drop \(DisplayWidth.visible(branch.path))"
        do {
            if isForced, let changes = try unmergedChanges(in: branch, into: store) {
                line += ", with changes that were not merged: \(changes)"
            }
        } catch is StoreError {
            line += ", which cannot be merged"
        }
        try console.output.line(line + ".")
    }

    /// What a merge would bring into the store; nil for nothing.
    private func unmergedChanges(in branch: Store, into store: Store) throws -> String? {
        let report = try store.merge(branch, isPlan: true)
        if report.isDone, report.counts.entities == 0 { return nil }
        return ChangeOutput.summary(report.counts) + (report.isDone ? "" : ", and conflicts")
    }

    private func checkMerged(_ branch: Store, into store: Store) throws {
        guard let changes = try unmergedChanges(in: branch, into: store) else { return }
        throw CommandFailure(
            .no,
            "The branch has changes that were not merged: \(changes).",
            advice: "Merge them with `reprise branch merge`, or drop them with --force."
        )
    }
}
