import SQLiteFile

extension DatabaseFile {
    /// Makes a plan of the database.
    func plan(_ make: (SQLiteDatabase) throws -> DatabasePlan) throws(LegacyError) -> DatabasePlan {
        do {
            return try make(SQLiteDatabase(copy))
        } catch let error as SQLiteFileError {
            throw LegacyError(error)
        } catch let error as LegacyError {
            throw error
        } catch {
            throw LegacyError(
                .malformed,
                "\(path) could not be understood: \(error).",
                advice: "Have the app export its data in another form."
            )
        }
    }

    /// Reads the database by a plan.
    func read(by plan: DatabasePlan, _ consume: (LegacyEvent) throws -> Void) throws
        -> LegacyReading
    {
        do {
            return try withoutActuallyEscaping(consume) { consume in
                try DatabaseReader(plan, self, consume: consume).read()
            }
        } catch let error as SQLiteFileError {
            throw LegacyError(error)
        }
    }
}
