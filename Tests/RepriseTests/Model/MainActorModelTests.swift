import MainActorApp
import Reprise
import Testing

/// An app whose module belongs to the main actor.
@MainActor
struct MainActorModelTests {
    /// VAL-40
    @Test func `models of a module that belongs to the main actor need no annotation`() async throws {
        let place = try ScratchPlace()
        let garden = try Garden(at: place("store"))
        try garden.plant(["rose", "aster"], in: "north")
        let watching = Task { try await garden.watch(until: 2) }
        try await garden.open("rose")
        #expect(try garden.openFlowers(in: "north").map(\.name) == ["rose"])
        try await garden.open("aster")
        try await watching.value
        #expect(garden.shown.map(\.name) == ["aster", "rose"])
        #expect(garden.shown.map(\.colour) == [.white, .white])
        #expect(try await garden.names(in: "north") == ["rose", "aster"])
    }
}
