import Reprise
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The samples of TheFilesOnDisk.md.
struct FileSamples {
    func openStore(in folder: URL) throws -> Store {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let path = folder.appending(path: "Todo.reprise").path(percentEncoded: false)
        return try Store.open(at: path, schema: todoSchema)
    }

    @Test func `a store is made, looked at, checked, copied and read`() throws {
        let directory = try TemporaryDirectory()
        let store = try openStore(in: URL(filePath: directory.path("Application Support/Todo")))
        try store.write { try $0.insert(Task(title: "Mow the lawn")) }
        let statistics = try store.statistics()
        print(statistics.fileByteCount, statistics.freeByteCount, statistics.head)
        #expect(statistics.fileByteCount > 0)

        let report = try store.verify()
        if !report.isSound {
            for fault in report.faults { print(fault.place, fault.message) }
        }
        #expect(report.isSound)

        let backupPath = directory.path("Backup.reprise")
        try store.replay(into: backupPath)
        let path = backupPath
        let archive = try Store.open(at: path, schema: todoSchema, configuration: .readOnly)
        #expect(try archive.count(Task.self) == 1)
        let error = #expect(throws: StoreError.self) {
            try archive.write { try $0.insert(Task(title: "Rake the leaves")) }
        }
        #expect(error?.code == .readOnly)
    }
}
