import Reprise

/// What the records of one class have in common with rows of the source.
final class ClassGround {
    /// Of which rows a record was found again.
    enum Rows {
        /// Those of before.
        case before
        /// Those that an interrupted migration has made which is to be taken up.
        case interrupted
        /// Those that one has written over which is to replace everything, and to be taken up.
        case replaced
    }

    let model: String
    private let shape: ClassShape
    /// The places of what keys are made of.
    private var identifying: (fields: Set<String>, places: Set<Int>)
    private let fields: Set<String>
    private var before: ClassLikeness
    private var interrupted: ClassLikeness
    private var replaced: ClassLikeness
    /// Others of before.
    private var controls = ControlRows()
    /// Others of what an interrupted migration has made or written over: what it has done is no measure of what was
    /// before.
    private var controlsOfRun = ControlRows()

    init(_ shape: ClassShape, identifiedBy fields: Set<String>) {
        model = shape.model
        self.shape = shape
        self.fields = fields
        identifying = (fields, Self.places(of: fields, shape))
        before = ClassLikeness(attributeCount: shape.attributes.count)
        interrupted = before
        replaced = before
    }

    private static func places(of fields: Set<String>, _ shape: ClassShape) -> Set<Int> {
        Set(shape.attributes.indices.filter { fields.contains(shape.attributes[$0].name) })
    }

    /// Those of a record, which are as a rule those of the one before.
    private func identifyingPlaces(of record: ShapedRecord) -> Set<Int> {
        let wanted = record.keyFields ?? fields
        if identifying.fields != wanted { identifying = (wanted, Self.places(of: wanted, shape)) }
        return identifying.places
    }

    /// Notes what a record and its row say.
    ///
    /// - Parameters:
    ///   - wanted: what the row is to have in a place, which names other rows as the store does.
    ///   - stored: what it has there.
    func note(
        _ record: ShapedRecord,
        among rows: Rows,
        wanted: (Int) -> Value?,
        stored: (Int) -> Value?
    ) {
        switch rows {
        case .before: note(record, in: &before, controls, wanted, stored)
        case .interrupted: note(record, in: &interrupted, controlsOfRun, wanted, stored)
        case .replaced: note(record, in: &replaced, controlsOfRun, wanted, stored)
        }
        switch rows {
        case .before: controls.add(record, stored: stored)
        case .interrupted, .replaced: controlsOfRun.add(record, stored: stored)
        }
    }

    private func note(
        _ record: ShapedRecord,
        in likeness: inout ClassLikeness,
        _ controls: ControlRows,
        _ wanted: (Int) -> Value?,
        _ stored: (Int) -> Value?
    ) {
        let parts = record.namingParts
        likeness.noteKey(parts)
        var isSilent = true
        for part in parts {
            guard let drawn = NamingText.drawn(in: part) else { continue }
            isSilent = false
            likeness.note(at: nil, isSame: true, isTelling: true, chance: controls.chance(ofDrawn: drawn))
        }
        let places = record.shape.givenPlaces
        let identifyingPlaces = identifyingPlaces(of: record)
        var isIdentical = places.count == record.shape.attributes.count
        for place in places {
            let (given, there) = (wanted(place) ?? .null, stored(place) ?? .null)
            let isSame = given == there
            if !isSame { isIdentical = false }
            if given.isNothing || there.isNothing || identifyingPlaces.contains(place) { continue }
            if let said = record.values[place], record.isNamed(by: said) { continue }
            isSilent = false
            likeness.note(
                at: place,
                isSame: isSame,
                isTelling: given.isTelling && there.isTelling,
                chance: controls.chance(of: given, at: place)
            )
        }
        if isSilent { likeness.noteSilence(isIdentical: isIdentical) }
    }

    /// How many records were compared with rows of before.
    var comparedCount: Int { before.keyCount }

    /// What that says of the export, as numbers of records.
    var outcome: ClassLikeness.Outcome {
        var outcome = before.outcome(controls)
        outcome.supporting += interrupted.outcome(controlsOfRun).supporting
        // What says the same as a replacement is another one than what was replaced.
        let replaced = replaced.outcome(controlsOfRun)
        outcome.contradicting += replaced.supporting + replaced.agreeing
        return outcome
    }
}
