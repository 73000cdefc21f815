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
            let kept = choice?.first.flatMap { ScalarType(word: $0, isText: true) }
            guard let kept else { return survey.columns[place].type }
            return earlier.mayWiden ? survey.columns[place].type(asIn: kept) : kept
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
            var kept = earlier[subject]
            if isWidened(column, since: kept) { kept?[0] = column.type.word }
            interpretation[subject] = kept ?? [column.name.isEmpty ? TextChoice.identifier : column.type.word] + unit
        }
        return interpretation
    }

    /// Whether an earlier export has decided a type of a column that does not hold all of its values.
    static func isWidened(_ column: Column, since earlier: [String]?) -> Bool {
        guard !column.name.isEmpty, let word = earlier?.first, ScalarType(word: word, isText: true) != nil
        else { return false }
        return word != column.type.word
    }
}
