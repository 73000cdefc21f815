import Reprise
import Testing

/// The samples of Errors.md.
struct ErrorSamples {
    /// A thing that a project needs, so that the project cannot be deleted.
    struct Strict {
        struct Project: Model {
            var id = ID()

            static let tools = Relationship<Project, Tool>("tools", inverse: \.project, onDelete: .deny)
            static let schema = ModelSchema("project", Self.init, .id("id", \.id)).toMany(tools)
        }

        struct Tool: Model {
            var id = ID()
            var project: Project.ID

            static let schema = ModelSchema("tool", Self.init, .id("id", \.id), .toOne("project", \.project))
        }

        func delete(_ project: Project.ID, in store: Store) throws -> [String] {
            do {
                try store.write { try $0.delete(Project.self, id: project) }
                return []
            } catch let error as StoreError {
                guard case .deleteDenied(let denials) = error.cause else { throw error }
                return denials.map { "\($0.partner) needs \($0.entity)" }
            }
        }
    }

    @Test func `a closure catches a value that is taken, and goes on`() throws {
        let store = try gardenStore()
        let names = ["garden", "garden", "house"]
        try store.write { tx in
            try tx.checkRulesAtOnce()
            for name in names {
                do {
                    try tx.insert(Tag(name: name))
                } catch let error as StoreError where error.code == .uniqueViolation {
                    print(name, "is there already")
                }
            }
        }
        #expect(try store.fetch(Tag.self).map(\.name).sorted() == ["garden", "house", "outside"])
    }

    @Test func `a value that occurs twice names its attribute`() throws {
        let store = try gardenStore()
        try store.write { try $0.insert(Tag(name: "garden")) }
        do {
            try store.write { try $0.insert(Tag(name: "garden")) }
        } catch let error as StoreError where error.code == .uniqueViolation {
            if case .uniqueViolation(let attributes, let existing) = error.cause {
                print("\(attributes.joined(separator: ", ")) belongs to \(existing) already.")
            }
        }
        let error = #expect(throws: StoreError.self) { try store.write { try $0.insert(Tag(name: "garden")) } }
        guard case .uniqueViolation(let attributes, _) = error?.cause else {
            Issue.record("The error has no cause.")
            return
        }
        #expect(attributes == ["name"])
        #expect(try store.count(Tag.self) == 2)
    }

    @Test func `a denied deletion names what is in its way`() throws {
        let store = try Store.temporary(Schema(Strict.Project.self, Strict.Tool.self))
        try store.write { tx in
            try tx.insert(Strict.Project(id: "garden"))
            try tx.insert(Strict.Tool(id: "rake", project: "garden"))
        }
        let reasons = try Strict().delete("garden", in: store)
        #expect(reasons.count == 1)
        #expect(reasons[0].contains("rake"))
    }

    @Test func `a schema is checked`() {
        do {
            _ = try Schema(validating: Project.self, Task.self)
        } catch {
            print(error.code, error.model, error.message)
        }
        let error = #expect(throws: SchemaError.self) { try Schema(validating: Project.self, Task.self) }
        #expect(error?.code == .missingModel)
    }
}
