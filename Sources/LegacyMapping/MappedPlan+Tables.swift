import LegacyRecords
import Reprise

/// A field of the target that has a name from another table of the export: a track's genre from the table of genres.
struct FollowedName {
    /// The field of the target.
    let name: String
    /// The to-one of the class.
    let field: String
    /// The classes that lead to the name, one after the other: the album, and then its artist.
    let classes: [String]
}

/// Tables of names, for which the target has texts.
extension MappedPlanMaker {
    /// Takes a to-one that leads to a table of names for the name of what it leads to.
    ///
    /// - Returns: whether it does.
    mutating func takeName(
        _ attribute: AttributeDescription,
        _ target: String?,
        _ models: [String: String],
        _ mapped: inout MappedClass
    ) -> Bool {
        guard attribute.type == .reference, let target, models[target] == nil,
            let name = schema.model(named: target).flatMap({ rules?.followedName(of: $0) }),
            self.target.model(named: mapped.model)?.attribute(named: name.field) != nil,
            !(mapped.fields.values.map(\.name) + mapped.followed.map(\.name)).contains(name.field)
        else { return false }
        mapped.followed.append(FollowedName(name: name.field, field: attribute.name, classes: [target]))
        remembered[target] = name.attribute
        return true
    }

    /// Gives records without a name that of another record, as tracks have the artist of their album.
    mutating func takeInheritedNames() {
        for (model, name, toOne) in rules?.inherited ?? [] {
            for (className, mapped) in classes
            where mapped.model == model && !mapped.followed.contains(where: { $0.name == name })
                && !mapped.fields.values.contains(where: { $0.name == name })
            {
                guard let toOne = mapped.fields.first(where: { $0.value.name == toOne }),
                    let other = toOne.value.target,
                    let found = classes[other]?.followed.first(where: { $0.name == name })
                else { continue }
                classes[className]?.followed.append(
                    FollowedName(name: name, field: toOne.key, classes: [other] + found.classes)
                )
                remembered[other] = found.field
            }
        }
    }

    /// Says which classes have no place, and what of the tables that are only followed has none.
    mutating func noteUnmappedClasses() {
        let gone = unmappedClasses.filter { remembered[$0] == nil }
        if !gone.isEmpty { losesRecords = true }
        misfits.insert(
            contentsOf: gone.map { (.unmappedClass, "There is no model for \($0); its records were left out.") },
            at: 0
        )
        for name in unmappedClasses where remembered[name] != nil {
            for attribute in schema.model(named: name)?.attributes ?? []
            where attribute.name != remembered[name] && keyFields[name] != attribute.name {
                leaveOut(name, attribute.name)
            }
        }
    }
}
