import ExportFormats
import LegacyRecords
import Reprise

extension PlanBuilder {
    /// How many members the objects of a class may have altogether, however few each of them has.
    static let sparsePropertyCountMax = 512
    /// Where they have more, which part of them the average object must have at least: one in so many.
    static let sparsenessMax = 16

    /// Refuses classes whose objects have few each of very many members. A row has a place for every attribute of its
    /// model, so what it costs to take them over would not be as the bytes of the file, but as their square.
    ///
    /// - Throws: ``LegacyError`` with the code `limitExceeded`.
    func refuseSparseClasses() throws(LegacyError) {
        for (classPlan, place) in zip(plan.classes, places) where !classPlan.isSkipped {
            let propertyCount = classPlan.columns.count
            guard propertyCount > Self.sparsePropertyCountMax, let found = survey.classes[place]
            else { continue }
            let valueCount = found.properties.reduce(0) {
                $0 + $1.direct.valueCount + $1.direct.nullCount
            }
            guard found.objectCount * propertyCount > Self.sparsenessMax * valueCount else {
                continue
            }
            throw LegacyError(
                .limitExceeded,
                "The objects of \(LibraryReport.quoted(classPlan.className)) have \(propertyCount) different members, "
                    + "and the average object has less than one in \(Self.sparsenessMax) of them; "
                    + "more than \(Self.sparsePropertyCountMax) are taken only of objects that have more of them.",
                advice: "Members that differ from object to object belong into an object of their own, which becomes a "
                    + "dictionary, as with `jq -c '{id, values: del(.id)}'`."
            )
        }
    }

    /// How many bytes the names of a schema that no file says may take. The end of a migration notes all of them in one
    /// annotation (Specs/format/migration.md), those of classes with six counts: three quarters of what fits there, so
    /// that newer exports may have others.
    private static let nameByteCountMax = Annotation.payloadByteCountMax / 4 * 3
    private static let countByteCount = 24

    /// Refuses what could be read and written, and whose end could not be noted then.
    ///
    /// - Throws: ``LegacyError`` with the code `limitExceeded`.
    static func refuseTooManyNames(_ schema: SchemaDescription) throws(LegacyError) {
        var byteCount = 0
        for model in schema.models {
            byteCount += 6 * (model.name.utf8.count + countByteCount)
            byteCount += model.attributes.reduce(0) { $0 + $1.name.utf8.count + 3 }
        }
        for relation in schema.relations {
            byteCount += (relation.source.name ?? "").utf8.count + 3
        }
        guard byteCount > nameByteCountMax else { return }
        throw LegacyError(
            .limitExceeded,
            "The file has so many classes and members that their names take more than \(nameByteCountMax) bytes.",
            advice: "Check that it is an export of a library, or take over only some of it."
        )
    }
}
