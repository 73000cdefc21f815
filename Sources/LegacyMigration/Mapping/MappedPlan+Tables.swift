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

/// Tables of artists and genres, for which the music library has texts.
extension MappedPlanMaker {
    /// The class is called after artists or genres, and has a name.
    private func nameField(of className: String, _ field: String) -> String? {
        var name = PropertyName.normalized(className)
        if name.hasSuffix("s") { name.removeLast() }
        guard name == field else { return nil }
        return schema.model(named: className)?.attributes.first { attribute in
            attribute.type == .string
                && ["name", "title", field + "name"].contains(PropertyName.normalized(attribute.name))
        }?.name
    }

    /// Takes a to-one that leads to artists or genres for the name of what it leads to.
    ///
    /// - Returns: whether it does.
    mutating func takeName(
        _ attribute: AttributeDescription,
        _ target: String?,
        _ models: [String: String],
        _ mapped: inout MappedClass
    ) -> Bool {
        guard knowsMusic, attribute.type == .reference, let target, models[target] == nil,
            let field = ["artist", "genre"].first(where: { nameField(of: target, $0) != nil }),
            self.target.model(named: mapped.model)?.attribute(named: field) != nil,
            !(mapped.fields.values.map(\.name) + mapped.followed.map(\.name)).contains(field)
        else { return false }
        mapped.followed.append(FollowedName(name: field, field: attribute.name, classes: [target]))
        remembered[target] = nameField(of: target, field)
        return true
    }

    /// Gives tracks without an artist that of their album.
    mutating func takeArtistsOfAlbums() {
        for (className, track) in classes
        where track.model == "track" && !track.followed.contains(where: { $0.name == "artist" })
            && !track.fields.values.contains(where: { $0.name == "artist" })
        {
            guard let toOne = track.fields.first(where: { $0.value.name == "album" }), let album = toOne.value.target,
                let artist = classes[album]?.followed.first(where: { $0.name == "artist" })
            else { continue }
            classes[className]?.followed.append(
                FollowedName(name: "artist", field: toOne.key, classes: [album] + artist.classes)
            )
            remembered[album] = artist.field
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
