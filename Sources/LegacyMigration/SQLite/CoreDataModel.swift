import SQLiteFile

/// The managed object model that a store keeps in its table `Z_MODELCACHE`.
struct CoreDataModel {
    static func cached(in database: SQLiteDatabase) throws -> CoreDataModel? { nil }
}
