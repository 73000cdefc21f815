/// The links that `realm2json` prints in mode 0 as bare numbers: those which objects without a primary key say in
/// `_key`. Nothing but a schema tells them from other numbers for certain.
///
/// Without one, a property is taken for a link where its name is that of exactly one class that could be meant, as
/// ``LinkNames`` says, and every one of its numbers is that of an object of this class: a link never leads nowhere.
/// What could be a link by its numbers alone stays as it is, and is named.
struct NumberLinks: Sendable {
    /// The classes that are linked, by class and property.
    private var targets = ExactNames<ExactNames<String>>()
    /// The properties that could be links and are not taken for some: class and property.
    private(set) var untold: [String] = []
    /// Those that are: class, property and the class that they lead to.
    private(set) var told: [(className: String, property: String, target: String)] = []

    /// None.
    init() {}

    /// Looks for properties that may be links; of those that seem to be some, ``confirm(in:_:_:)`` finds out whether
    /// all of their numbers are those of objects.
    init(_ survey: JSONSurvey) {
        guard !survey.hasTypedValues else { return }
        let numbered = survey.order.compactMap { name -> (name: String, range: ClosedRange<Int64>)? in
            guard let found = survey.classes[name], let numbers = found.key.numbers,
                found.key.numberedCount == found.objectCount
            else { return nil }
            return (name, numbers.range)
        }
        // Looked up by name: there may be thousands of classes and of properties.
        let places = Dictionary(grouping: numbered.indices) { LinkNames.name(ofClass: numbered[$0].name) }
        for className in survey.order where !numbered.isEmpty {
            for property in survey.classes[className]?.properties ?? []
            where property.name != "_key" {
                guard let (numbers, isList) = Self.numbers(of: property) else { continue }
                let isPossible = { (range: ClosedRange<Int64>) in
                    range.contains(numbers.lowerBound) && range.contains(numbers.upperBound)
                }
                let named = LinkNames.names(ofProperty: property.name, isList: isList)
                    .flatMap { places[$0] ?? [] }
                    .filter { isPossible(numbered[$0].range) }
                let isOwn = LinkNames.isCalled(property.name, asItsClass: className)
                if named.count == 1, isList || !isOwn {
                    tell(className, property.name, numbered[named[0]].name)
                } else if numbered.contains(where: { isPossible($0.range) }) {
                    untold.append("\(className).\(property.name)")
                }
            }
        }
    }

    var isEmpty: Bool { told.isEmpty }

    /// The class that a property leads to; nil where it is no link.
    func target(of className: String, _ property: String) -> String? {
        targets[className]?[property]
    }

    private mutating func tell(_ className: String, _ property: String, _ target: String) {
        targets[className, default: ExactNames()][property] = target
        told.append((className, property, target))
    }

    /// The range of the numbers of a property that has nothing else, and whether they are in lists.
    private static func numbers(
        of property: PropertySurvey
    ) -> (range: ClosedRange<Int64>, isList: Bool)? {
        switch property.direct.kinds {
        case .int: return property.direct.integers.map { ($0, false) }
        case .list:
            guard property.elements.kinds == .int, property.elements.nullCount == 0 else {
                return nil
            }
            return property.elements.integers.map { ($0, true) }
        default: return nil
        }
    }

    // MARK: Numbers

    /// Reads the file once more, and gives up the links of which a number is that of no object.
    mutating func confirm(in export: JSONExport, _ survey: JSONSurvey, _ input: FileInput) throws {
        var links = self
        do {
            _ = try export.walk(input) { className, members, _ in
                guard let candidates = links.targets[className] else { return }
                for member in members {
                    guard let target = candidates[member.name], let key = survey.classes[target]?.key,
                        try !Self.areNumbers(member.value, of: key)
                    else { continue }
                    links.giveUp(className, member.name)
                    if links.isEmpty { throw EnoughRead() }
                }
            }
        } catch is EnoughRead {}
        self = links
    }

    private mutating func giveUp(_ className: String, _ property: String) {
        targets[className]?[property] = nil
        told.removeAll {
            $0.className.hasSameBytes(as: className) && $0.property.hasSameBytes(as: property)
        }
        untold.append("\(className).\(property)")
    }

    private static func areNumbers(_ value: JSONValue, of key: KeySurvey) throws -> Bool {
        switch value {
        case .null: return true
        case .number(let number): return try number.integer.map { try key.hasNumber($0) } ?? false
        case .array(let elements): return try elements.allSatisfy { try areNumbers($0, of: key) }
        default: return false
        }
    }
}
