import RealmFile

/// `reprise realm dump`: the whole content of a Realm file, a line for each class and object.
struct RealmDumpCommand: Command {
    var file: RealmLocation
    /// Whether data of more than a mebibyte is written out.
    var showsAllData = false
    /// Whether of a damaged file what is whole is written.
    var salvages = false

    func run(in console: inout Console) throws -> Outcome {
        let opened = try file.open(salvages: salvages, in: console)
        guard salvages else {
            try RealmLocation.advising { try opened.examine(in: console) }
            try dump(opened, in: &console)
            return .done
        }
        let salvage = try opened.salvage(in: console)
        try dump(salvage.realm, in: &console)
        guard !salvage.isComplete else { return .done }
        for line in salvage.lines { console.note(line) }
        console.note("The file is \(salvage.summary).")
        return .no
    }

    private func dump(_ realm: RealmReader, in console: inout Console) throws {
        let progress = console.progress("Dumping", unit: "object")
        defer { progress.finish() }
        let total = realm.classes.reduce(0) { $0 + $1.objectCount }
        var done = 0
        var writer = RealmDumpWriter(realm, showsAllData: showsAllData)
        func write(_ text: [UInt8]) throws {
            if console.interruption.isRequested() { throw CommandFailure.readingInterrupted }
            progress.update(done: UInt64(done), total: UInt64(total))
            try console.output.write(text)
        }
        for realmClass in realm.classes {
            try writer.line(realmClass, flush: write)
            if realmClass.kind == .embedded { continue }
            try realmClass.forEachObject { object in
                try writer.line(object, flush: write)
                done += 1
                return true
            }
        }
        try console.output.write(writer.bytes)
    }
}

extension RealmReader {
    /// Examines the file, showing how far that is.
    func examine(in console: borrowing Console) throws {
        let progress = console.progress("Examining", unit: "object")
        defer { progress.finish() }
        let interruption = console.interruption
        try examine { step in
            if interruption.isRequested() { throw CommandFailure.readingInterrupted }
            progress.update(done: UInt64(step.objectsRead), total: UInt64(step.objectCount))
        }
    }
}

extension CommandFailure {
    /// Ctrl-C while something was only read.
    static let readingInterrupted = CommandFailure(
        .interrupted,
        "Stopped as you asked.",
        advice: "Run the same command to start again."
    )
}
