// Who imports LegacyMigration has all of the migrator.
@_exported public import ExportFormats
@_exported public import ITunesSources
@_exported public import LegacyExport
@_exported public import LegacyMapping
@_exported public import LegacyMigrator
@_exported public import LegacyRecords
@_exported public import MusicMapping
@_exported public import MusicVocabulary
@_exported public import PlaylistSources
@_exported public import RealmSources
@_exported public import SQLiteSources
@_exported public import TableSources
