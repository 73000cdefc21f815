// LegacyMigration
