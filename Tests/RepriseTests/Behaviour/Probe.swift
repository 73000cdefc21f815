import Testing
@testable import Reprise

struct PU: Model {
    var id: ID; var name: String; var boss: ID?
    static let schema = ModelSchema("pu", version: 1, Self.init, .id("id", \.id), .attribute("name", \.name, unique: true), .toOne("boss", \.boss))
        .toMany("likes", of: PU.self).toMany("staff", of: PU.self, inverse: "boss").unique("boss", "name")
    static let likes = Relationship<PU, PU>("likes")
    static let staff = Relationship<PU, PU>("staff")
}
struct PV: Model {
    var id: ID; var n: Int; var boss: PU.ID?; var d: Double?; var ds: [Double] = []
    static let schema = ModelSchema("pv", version: 1, Self.init, .id("id", \.id), .attribute("n", \.n), .toOne("boss", \.boss), .attribute("d", \.d, unique: true), .attribute("ds", \.ds))
        .unique("boss", "n")
}
struct PA: Model {
    var id: ID; var b: PB.ID
    static let schema = ModelSchema("pa", version: 1, Self.init, .id("id", \.id), .toOne("b", \.b, inverse: "a", onDelete: .deny))
}
struct PB: Model {
    var id: ID; var a: PA.ID?
    static let schema = ModelSchema("pb", version: 1, Self.init, .id("id", \.id), .toOne("a", \.a, inverse: "b", onDelete: .cascade))
}
struct Probe {
    @Test func unique1() throws {
        let place = try ScratchPlace()
        let s = try Store.open(at: place("a"), schema: Schema(PU.self, PV.self)); defer { s.close() }
        try s.write { try $0.insert(PU(id: "a", name: "A")) }
        do { try s.write { tx in _ = try tx.link(PU.likes, from: "a", to: "a"); try tx.insert(PU(id: "b", name: "A")) }; print("PROBE touch-unique: NOT DETECTED") } catch { print("PROBE touch-unique ok", error) }
        try s.write { try $0.insert(PV(id: "1", n: 1, boss: "a")) }
        do { try s.write { try $0.insert(PV(id: "2", n: 1, boss: "a")) }; print("PROBE ref-unique: NOT DETECTED") } catch { print("PROBE ref-unique ok", error) }
        try s.write { try $0.insert(PV(id: "3", n: 2, d: 0.0, ds: [-0.0])) }
        do { try s.write { try $0.insert(PV(id: "4", n: 3, d: -0.0)) }; print("PROBE zero-unique: NOT DETECTED") } catch { print("PROBE zero-unique ok", error) }
        print("PROBE contains -0", try s.count(FetchDescriptor<PV>(filter: Filter(.contains(["ds"], .double(0.0))))))
        do { print("PROBE list <", try s.count(FetchDescriptor<PV>(filter: Filter(.compare(["ds"], .less, .list([.double(1)])))))) } catch { print("PROBE list <", error) }
        do { try s.write { _ = try $0.delete(PV.self, id: "4", expecting: .absent) }; print("PROBE delete absent DELETES") } catch { print("PROBE delete absent", error) }
        do { try s.deleteSnapshot(named: String(repeating: "a", count: 600)) } catch { print("PROBE long snapshot", error) }
        do { try s.createSnapshot(named: "x"); try s.rollback(to: .head); print("PROBE rollback head ok") } catch { print(error) }
        let v = try s.verify(); print("PROBE verify", v.faults)
    }
    @Test func pair() throws {
        let place = try ScratchPlace()
        do {
            let s = try Store.open(at: place("p"), schema: Schema(PA.self, PB.self)); defer { s.close() }
            try s.write { try $0.insert(PB(id: "b")); try $0.insert(PA(id: "a1", b: "b")) }
            try s.write { try $0.insert(PA(id: "a2", b: "b")) }
            print("PROBE pair", try s.fetch(PA.self, id: "a1") as Any)
        } catch { print("PROBE pair error", error) }
    }
    @Test func respace() throws {
        let place = try ScratchPlace()
        for typed in [true, false] {
            let s = try Store.open(at: place("r\(typed)"), schema: Schema(PU.self)); defer { s.close() }
            let rel = typed ? PU.likes : PU.staff
            try s.write { tx in
                try tx.insert(PU(id: "o", name: "O"))
                for c in ["a", "b", "c", "d", "x", "y"] { try tx.insert(PU(id: PU.ID(c), name: c)); _ = try tx.link(rel, from: "o", to: PU.ID(c)) }
            }
            func e(_ n: String) throws -> EntryID { try s.read { try $0.entries(rel, of: "o") }.first { $0.target.rawValue == n }!.id }
            var failed = false
            var last = "x"
            var rounds = 0
            for i in 0..<400 where !failed {
                let model = try s.read { $0.access.workspace.schema.allModels[0] }
                let keys = try s.read { tx in try tx.access.workspace.entries(of: tx.access.list(typed ? "likes" : "staff", of: model, id: "o").key).map { ($0.orderKey, String(decoding: $0.target, as: UTF8.self)) } }
                let ai = keys.firstIndex { $0.1 == "a" }!
                let gapUsed = keys[ai + 1].0 - keys[ai].0 < 2
                if gapUsed { rounds += 1 }
                let m = gapUsed ? ["c", "d", "b"][rounds % 3] : (last == "x" ? "y" : "x")
                if m == "x" || m == "y" { last = m }
                let before = keys.map(\.1)
                do { try s.write { tx in try tx.move(rel, entry: try e(m), of: "o", to: .after(try e("a"))) } } catch { print("PROBE respace", typed, i, m, error); failed = true }
                let after = try s.read { try $0.entries(rel, of: "o") }.map(\.target.rawValue)
                var want = before.filter { $0 != m }; want.insert(m, at: want.firstIndex(of: "a")! + 1)
                if after != want { print("PROBE respace WRONG", typed, i, m, before, after); failed = true }
            }
            print("PROBE rounds", rounds)
            print("PROBE respace done", typed, failed, try s.verify().faults)
        }
    }
}
