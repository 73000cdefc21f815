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

    /// The places of what keys are made of.
    private let identifyingPlaces: Set<Int>
    private var before: ClassLikeness
    private var interrupted: ClassLikeness
    private var replaced: ClassLikeness
    private var controls = ControlRows()

    init(_ shape: ClassShape, identifiedBy fields: Set<String>) {
        identifyingPlaces = Set(shape.attributes.indices.filter { fields.contains(shape.attributes[$0].name) })
        before = ClassLikeness(attributeCount: shape.attributes.count)
        interrupted = before
        replaced = before
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
        case .before: note(record, in: &before, wanted, stored)
        case .interrupted: note(record, in: &interrupted, wanted, stored)
        case .replaced: note(record, in: &replaced, wanted, stored)
        }
        controls.add(record, stored: stored)
    }

    private func note(
        _ record: ShapedRecord,
        in likeness: inout ClassLikeness,
        _ wanted: (Int) -> Value?,
        _ stored: (Int) -> Value?
    ) {
        let parts = record.namingParts
        likeness.noteKey(parts, seriesChance: controls.chance(ofSeries: parts))
        var isSilent = true
        for part in parts {
            guard let drawn = NamingText.drawn(in: part) else { continue }
            isSilent = false
            likeness.note(at: nil, isSame: true, isTelling: true, chance: controls.chance(ofDrawn: drawn))
        }
        let places = record.shape.givenPlaces
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

    /// What that says of the export, as numbers of records.
    var outcome: ClassLikeness.Outcome {
        var outcome = before.outcome
        outcome.supporting += interrupted.outcome.supporting
        // What says the same as a replacement is another one than what was replaced.
        let replaced = replaced.outcome
        outcome.contradicting += replaced.supporting + replaced.agreeing
        return outcome
    }
}
