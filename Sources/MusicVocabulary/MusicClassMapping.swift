/// How the objects of one class become records of the music library: which property is which field.
package struct MusicClassMapping: Sendable {
    /// A property of the source, as far as it matters here.
    package struct Property: Sendable {
        package let name: String
        /// The classes that it leads to, for links.
        package let target: MusicModel?
        package let isCollection: Bool
        /// The models whose records it may name by their keys, for texts and numbers and collections of them.
        package var keyModels: Set<MusicModel> = []

        package init(name: String, target: MusicModel?, isCollection: Bool, keyModels: Set<MusicModel> = []) {
            self.name = name
            self.target = target
            self.isCollection = isCollection
            self.keyModels = keyModels
        }
    }

    package let model: MusicModel
    /// The fields that have a property, and its place.
    package let fields: [(field: MusicField, property: Int)]
    /// The property of the members in order.
    package let members: Int?
    /// The property of the one that it belongs to.
    package let owner: Int?
    /// Properties without a field.
    package let unmapped: [String]

    /// - Parameters:
    ///   - properties: all of the class, in order.
    ///   - identifier: the place of the property that identifies objects, which becomes the key.
    package init(_ model: MusicModel, _ properties: [Property], identifier: Int?) {
        var fields: [(field: MusicField, property: Int)] = []
        var members: Int?
        var owner: Int?
        var taken: Set<Int> = []
        if let identifier { taken.insert(identifier) }
        let names = properties.map { PropertyName.normalized($0.name) }
        /// Of `album` and `albumId` the second is the key.
        func isTextBeside(_ place: Int) -> Bool {
            !properties[place].keyModels.isEmpty && names.contains(names[place] + "id")
                && model.fields.contains { $0.kind.isOwner && $0.isMeant(by: names[place]) }
        }
        // The field's own name first, so that `name` is no title where there is one.
        for isExact in [true, false] {
            for field in model.fields where !fields.contains(where: { $0.field == field }) {
                let places = properties.indices.filter { place in
                    !taken.contains(place) && Self.fits(properties[place], field, model)
                        && (isExact
                            ? names[place] == field.name.lowercased()
                            : field.isMeant(by: names[place]))
                }
                // Before what may be a key comes what is a link.
                let link = places.first { properties[$0].target != nil }
                guard let place = link ?? places.first(where: { !isTextBeside($0) }) else {
                    continue
                }
                switch field.kind {
                case .members where members == nil: members = place
                case .owner where owner == nil: owner = place
                case .members, .owner: continue
                default: fields.append((field, place))
                }
                taken.insert(place)
            }
        }
        // Whatever it is called: the only list of tracks of a playlist or an album, and the only album of a track.
        func takeOnly(_ isMeant: (Property) -> Bool) -> Int? {
            let places = properties.indices.filter { !taken.contains($0) && isMeant(properties[$0]) }
            guard places.count == 1 else { return nil }
            taken.insert(places[0])
            return places[0]
        }
        if model == .track {
            owner = owner ?? takeOnly { !$0.isCollection && $0.target == .album }
        } else {
            members = members ?? takeOnly { $0.isCollection && $0.target == .track }
        }
        self.model = model
        self.fields = fields
        self.members = members
        self.owner = owner
        unmapped = properties.indices.filter { !taken.contains($0) }.map { properties[$0].name }
    }

    private static func fits(_ property: Property, _ field: MusicField, _ model: MusicModel) -> Bool
    {
        switch field.kind {
        case .members:
            property.isCollection
                && (property.target == .track || property.keyModels.contains(.track))
        case .owner:
            !property.isCollection
                && (property.target == model.ownerModel
                    || property.keyModels.contains(model.ownerModel))
        default: !property.isCollection && property.target == nil
        }
    }
}
