import LegacyMigration
import Testing

/// What is said of a mistake in a mapping file: what is wrong where, and what to do.
@Suite struct MappingFileTests {
    private static let guide = " See the guide about mappings for what it may say."

    @Test(arguments: [
        (
            #"{"classes": {"Song": {"fields": {"title": {"trim": "yes"}}}}}"#,
            "The mapping has the text \"yes\" at classes.Song.fields.title.trim, where something else is expected. "
                + "Write true or false there."
        ),
        (
            #"{"target": "films"}"#,
            "The mapping has the text \"films\" at target, where something else is expected. "
                + "Write \"own\" or \"music\" there."
        ),
        (
            #"{"classes": [1]}"#,
            "The mapping has an array at classes, where something else is expected. "
                + "Write an object, in braces there."
        ),
        (
            "3", "The mapping has the number 3, where something else is expected. Write an object, in braces there."
        ),
        (
            #"{"classes": {"Song": {"fields": {"title": {"default": [1]}}}}}"#,
            "The mapping has an array at classes.Song.fields.title.default, where something else is expected. "
                + "Write a text, a number that fits 64 bits, true or false there."
        ),
        (
            #"{"classes": {"Song": {"id": ["a", 7]}}}"#,
            "The mapping has the number 7 at classes.Song.id.1, where something else is expected. "
                + "Write the name of a field there."
        ),
        (
            #"{"classes": {"Song": {"fields": {"title": {"trimm": true}}}}}"#,
            "The mapping has a member \"trimm\" at classes.Song.fields.title, which means nothing there. "
                + "Correct its name, or leave it out: there are to, type, trim, split, default."
        ),
        (
            #"{"classes": {"Song": null, "Song": {}}}"#,
            "The mapping has the member \"Song\" twice in one object at classes. Leave one of them out."
        ),
    ])
    func `a mistake is named with its place and what to write`(json: String, expected: String) throws
    {
        let error = try #require(throws: LegacyError.self) {
            _ = try RecordMapping(json: Array(json.utf8))
        }
        #expect(error.code == .malformed)
        #expect(error.description == expected + Self.guide)
    }

    @Test(arguments: [
        ("{\n\"classes\" {}}", "The mapping is no JSON in UTF-8: the file lacks a colon. (line 2)"),
        ("{}\n{}", "The mapping is no JSON in UTF-8: the file goes on after its end. (line 2)"),
        ("", "The mapping is no JSON in UTF-8: the file holds nothing."),
        ("{\"a", "The mapping is no JSON in UTF-8: the file ends in the middle. (line 1)"),
    ])
    func `what is no JSON is said with its line`(json: String, expected: String) throws {
        let error = try #require(throws: LegacyError.self) {
            _ = try RecordMapping(json: Array(json.utf8))
        }
        #expect(error.description == expected + " Correct it there, and start again.")
    }

    @Test func `rules that are null are as if they were not there, and nulls in place of rules drop`() throws {
        let json = #"""
            {"target": null, "classes": {"A": {"model": null, "id": null, "fields": {
            "x": {"to": null, "trim": null, "split": null, "default": null}, "y": null}}, "B": null}}
            """#
        let mapping = try RecordMapping(json: Array(json.utf8))
        #expect(mapping.target == .own && mapping.classes["B"]?.isDropped == true)
        let rule = try #require(mapping.classes["A"])
        #expect(rule.model == nil && rule.identifier == nil && !rule.isDropped)
        #expect(rule.fields["x"] == RecordMapping.FieldRule())
        #expect(rule.fields["y"]?.isDropped == true)
        #expect(try RecordMapping(json: Array(#"{"classes": null}"#.utf8)) == RecordMapping())
    }

    @Test func `defaults keep their types`() throws {
        let json = #"""
            {"classes": {"A": {"fields": {"a": {"default": 1}, "b": {"default": 1.0}, "c": {"default": 1.5},
            "d": {"default": true}, "e": {"default": "1"}}}}}
            """#
        let fields = try #require(try RecordMapping(json: Array(json.utf8)).classes["A"]?.fields)
        #expect(fields["a"]?.defaultValue == .integer(1) && fields["b"]?.defaultValue == .integer(1))
        #expect(fields["c"]?.defaultValue == .double(1.5) && fields["d"]?.defaultValue == .bool(true))
        #expect(fields["e"]?.defaultValue == .string("1"))
    }
}
