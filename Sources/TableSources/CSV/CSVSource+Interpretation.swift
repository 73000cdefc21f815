import LegacyRecords

extension CSVSource {
    /// What the values of each column are, in an earlier export if it had the column; nil for one that is what records
    /// are told by, and no attribute.
    static func choices(
        of survey: CSVSurvey,
        _ keyPlace: Int?,
        asIn earlier: SourceInterpretation
    ) -> [ScalarType?] {
        let subjects = TextChoice.types(of: survey.columns.map(\.name))
        return survey.columns.indices.map { place in
            var choice = earlier[subjects[place]]
            let isKey = place == keyPlace
            // The letters of its title may be of another case now.
            if isKey, choice == nil, let title = TextChoice.member(of: earlier[TextChoice.key]) {
                choice = earlier[TextChoice.types(of: [title])[0]]
            }
            if isKey, choice.map({ $0 == [TextChoice.identifier] }) ?? survey.isExactKey(place) { return nil }
            return choice?.first.flatMap { ScalarType(word: $0, isText: true) } ?? survey.columns[place].type
        }
    }

    /// What of these columns the log keeps. What an earlier export has decided stands as it is there.
    static func interpretation(
        of columns: [Column],
        key: [String]?,
        asIn earlier: SourceInterpretation
    ) -> SourceInterpretation {
        var interpretation = SourceInterpretation()
        interpretation[TextChoice.key] = key
        for (column, subject) in zip(columns, TextChoice.types(of: columns.map(\.title))) {
            let unit = column.isMilliseconds ? [TextChoice.milliseconds] : []
            interpretation[subject] =
                earlier[subject] ?? [column.name.isEmpty ? TextChoice.identifier : column.type.word]
                + unit
        }
        return interpretation
    }
}
