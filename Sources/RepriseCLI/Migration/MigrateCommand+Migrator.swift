import LegacyMigration
import MusicLibrary
import Reprise

/// The one place where the command meets the migrator.
extension MigrateCommand {
    /// Runs the migration into the destination, which is created where it does not exist.
    func migrate(
        progress: ProgressMeter,
        interruption: Interruption
    ) throws -> MigrationSummary {
        throw CommandFailure(
            .usage,
            "This build of reprise has no migrator.",
            advice: "Use a build that has one."
        )
    }
}
