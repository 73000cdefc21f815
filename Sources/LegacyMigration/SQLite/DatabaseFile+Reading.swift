import SQLiteFile

extension DatabaseFile {
    /// For how many passes over the file the making of a plan counts.
    static let planningPassCount: UInt64 = 2

    /// Makes a plan of the database, as a part of opening it.
    func plan(
        _ opening: SourceOpening,
        _ make: (SQLiteDatabase) throws -> DatabasePlan
    ) throws(LegacyError) -> DatabasePlan {
        do {
            try opening.beginPass(weight: Self.planningPassCount)
            var plan = try withDatabase { database in
                var steps = PlanningSteps(database, byteCount: byteCount)
                return try database.withInterruption {
                    steps.next().map { !opening.goesOn(toShare: $0) } ?? false
                } _: {
                    try make(database)
                }
            }
            if lacksLog {
                plan.warnings.append(
                    LegacyWarning(
                        kind: .missingLog,
                        message:
                            "The database keeps its latest changes in a file \(fileName)-wal, and "
                            + "none is beside it; if the app was not closed properly, they are missing."
                    )
                )
            }
            return plan
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
                try withDatabase { database in
                    try DatabaseReader(plan, self, database, consume: consume).read()
                }
            }
        } catch let error as SQLiteFileError {
            throw LegacyError(error)
        }
    }
}
