/// Compares what lies in two collections, without recursion: they lie in each other up to a hundred deep.
enum ContentComparison {
    private enum Level {
        case elements(ElementCursor, ElementCursor)
        case entries(DictionaryCursor, DictionaryCursor)
    }

    /// Whether two values are the same; not where one of them cannot be read.
    static func areEqual(_ left: RealmValue, _ right: RealmValue) -> Bool {
        do throws(RealmFileError) {
            var open: [Level] = []
            guard try isSame(left, right, &open) else { return false }
            while let level = open.last {
                guard try isNextSame(level, &open) else { return false }
            }
            return true
        } catch {
            return false
        }
    }

    private static func isNextSame(
        _ level: Level,
        _ open: inout [Level]
    ) throws(RealmFileError) -> Bool {
        switch level {
        case .elements(let left, let right):
            let (first, second) = (try left.next(), try right.next())
            guard let first, let second else {
                open.removeLast()
                return isNil(first) && isNil(second)
            }
            return try isSame(first, second, &open)
        case .entries(let left, let right):
            let (first, second) = (try left.next(), try right.next())
            guard let first, let second else {
                open.removeLast()
                return isNil(first) && isNil(second)
            }
            guard first.key.isSameSingle(as: second.key) else { return false }
            return try isSame(first.value, second.value, &open)
        }
    }

    /// Without comparing, which would come back here.
    private static func isNil<T>(_ value: T?) -> Bool {
        if case nil = value { true } else { false }
    }

    private static func isSame(
        _ left: RealmValue,
        _ right: RealmValue,
        _ open: inout [Level]
    ) throws(RealmFileError) -> Bool {
        switch (left, right) {
        case (.list(let left), .list(let right)), (.set(let left), .set(let right)):
            guard !left.place.isSame(as: right.place) else { return true }
            open.append(.elements(try ElementCursor(left.place), try ElementCursor(right.place)))
            return true
        case (.dictionary(let left), .dictionary(let right)):
            guard !left.place.isSame(as: right.place) else { return true }
            open.append(
                .entries(try DictionaryCursor(left.place), try DictionaryCursor(right.place))
            )
            return true
        default: return left.isSameSingle(as: right)
        }
    }
}
