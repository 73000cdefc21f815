import ExportFormats
import LegacyRecords
import SQLiteFile

extension DatabaseFile {
    /// For how many passes over the file the making of a plan counts.
    static let planningPassCount: UInt64 = 2

    /// Makes a plan of the database, as a part of opening it.
    func plan(
        _ opening: SourceOpening,
        _ make: (SQLiteDatabase) throws -> DatabasePlan
    ) throws(LegacyError) -> DatabasePlan {
        try opening.beginPass(weight: Self.planningPassCount)
        return try plan(make, goesOn: opening.goesOn(toShare:))
    }

    /// Makes a plan of the database once more.
    func plan(
        _ progress: (LegacyProgress) -> Bool,
        _ make: (SQLiteDatabase) throws -> DatabasePlan
    ) throws(LegacyError) -> DatabasePlan {
        try plan(make) { share in
            let bytes = UInt64(Double(byteCount) * max(0, min(1, share)))
            return progress(LegacyProgress(bytesRead: bytes, byteCount: byteCount))
        }
    }

    private func plan(
        _ make: (SQLiteDatabase) throws -> DatabasePlan,
        goesOn: (Double) -> Bool
    ) throws(LegacyError) -> DatabasePlan {
        do {
            var plan = try withDatabase { database in
                var steps = PlanningSteps(database, byteCount: byteCount)
                return try database.withInterruption {
                    steps.next().map { !goesOn($0) } ?? false
                } _: {
                    try make(database)
                }
            }
            if hasLog { plan.interpretation[DatabaseChoice.log] = [DatabaseChoice.beside] }
            if lacksLog {
                let message =
                    "\(fileName) keeps its newest changes in \(fileName)-wal, and that file is not beside it. They are "
                    + "missing unless the app was quit before the copy was made."
                plan.warnings.append(LegacyWarning(kind: .missingLog, message: message))
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
