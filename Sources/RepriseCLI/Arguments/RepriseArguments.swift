import ArgumentParser

/// `reprise`: the whole command line.
struct RepriseArguments: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reprise",
        abstract: "Looks into event-sourced stores, changes them, and goes back in time.",
        discussion: """
            Works on any store, whatever its models; only the commands of migrations know music.

            Exit codes: 0 done, 1 the answer is no, 64 wrong use, 65 bad data, 66 no such input, \
            69 the store is in use, 73 cannot create, 74 input/output error.
            """,
        version: ReleaseVersion.line,
        subcommands: [
            MigrateArguments.self, StatsArguments.self, FetchArguments.self, SearchArguments.self,
            WatchArguments.self, PutArguments.self, DeleteArguments.self, LinkArguments.self,
            UnlinkArguments.self, MoveArguments.self, LogArguments.self, ReplayArguments.self,
            SnapshotArguments.self, CheckpointArguments.self, RollbackArguments.self, DiffArguments.self,
            HistoryArguments.self, BlameArguments.self, RevertArguments.self, RestoreArguments.self,
            UndoArguments.self, RedoArguments.self, ApplyArguments.self, ChangesArguments.self,
            BranchArguments.self, VerifyArguments.self, ExportArguments.self, SchemaArguments.self,
            RealmArguments.self,
            VerifyMigrationArguments.self, ManualArguments.self, VersionArguments.self,
        ]
    )
}
