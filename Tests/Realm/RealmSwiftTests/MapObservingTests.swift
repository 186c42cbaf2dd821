import Foundation
import OpenCombine
import RealmSwift
import TestBasics
import Testing

class ObservedTree: Object {
    @Persisted var height = 0
    @Persisted var name = ""
}

class ObservedPrices: Object {
    @Persisted var prices: Map<String, Double>
    @Persisted var trees: Map<String, ObservedTree?>
}

actor MapActor {
    var notes: [String] = []
    func note(_ text: String) { notes.append(text) }
    nonisolated func notes(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) async throws -> [String] {
        let areEnough = try await eventually { await notes.count >= count }
        let seen = await notes
        #expect(areEnough, "\(seen)", sourceLocation: sourceLocation)
        return seen
    }
}

/// Retains subscriptions, which are used on one queue.
private final class Kept: @unchecked Sendable {
    var all: [any Cancellable] = []
}

@Suite("Observing maps")
struct MapObservingTests {
    private let fixture = QueueFixture([ObservedPrices.self, ObservedTree.self])
    private let kept = Kept()

    private static func text<M: RealmKeyedCollection>(_ change: RealmMapChange<M>) -> String {
        switch change {
        case .initial(let map): "initial \(map.count)"
        case .update(let map, let deletions, let insertions, let modifications):
            "\(map.isInvalidated ? 0 : map.count) \(deletions) \(insertions) \(modifications)"
        case .error: "error"
        }
    }

    private func write(_ body: @Sendable (ObservedPrices) -> Void) throws {
        try fixture.run { realm in
            try realm.write { body(realm.objects(ObservedPrices.self).first ?? realm.create(ObservedPrices.self)) }
            realm.refresh()
        }
    }

    @Test(
        """
        RealmMapChange.{initial,update} a map's observer is told keys: the worked examples 46, 47 and 48, \
        and the owner's end
        """)
    func keys() async throws {
        try write { for (key, value) in [("ash", 1.0), ("elm", 2), ("oak", 3)] { $0.prices[key] = value } }
        try fixture.run { [fixture] realm in
            fixture.keep(realm.objects(ObservedPrices.self)[0].prices.observe { fixture.note(Self.text($0)) })
        }
        _ = try await fixture.notes(1)
        try write { $0.prices["elm"] = 2 }
        try write {
            $0.prices["fir"] = 4
            $0.prices["ash"] = nil
        }
        try write {
            $0.prices.removeAll()
            $0.prices["oak"] = 9
        }
        _ = try await fixture.notes(4)
        try fixture.run { realm in try realm.write { realm.delete(realm.objects(ObservedPrices.self)[0]) } }
        #expect(
            try await fixture.notes(5) == [
                "initial 3", #"3 [] [] ["elm"]"#, #"3 ["ash"] ["fir"] []"#, #"1 ["elm", "fir", "oak"] ["oak"] []"#,
                #"0 ["oak"] [] []"#,
            ])
    }

    @Test("key paths name properties of the values; a deleted object is a modification; actors and queues are told")
    func objects() async throws {
        let (actor, queue) = (MapActor(), DispatchQueue(label: "other"))
        try write {
            $0.trees["a"] = ObservedTree()
            $0.trees["b"] = ObservedTree()
        }
        try fixture.run { [fixture] realm in
            let trees = realm.objects(ObservedPrices.self)[0].trees
            fixture.keep(trees.observe(keyPaths: ["name"]) { fixture.note("s" + Self.text($0)) })
            fixture.keep(trees.observe(keyPaths: [\.name], on: queue) { fixture.note("q" + Self.text($0)) })
        }
        let token = await Self.observe(fixture.configuration, on: actor)
        _ = try await actor.notes(1)
        _ = try await fixture.notes(2)
        try write { $0.trees["a"]??.height = 3 }
        _ = try await actor.notes(2)
        try write { $0.trees["b"]??.name = "elm" }
        _ = try await actor.notes(3)
        _ = try await fixture.notes(4)
        try write { owner in if let tree = owner.trees["a"], let tree { owner.realm?.delete(tree) } }
        let one = #"2 [] [] ["b"]"#
        let gone = #"2 [] [] ["a"]"#
        #expect(try await actor.notes(4) == ["initial 2", gone, one, gone])
        #expect(
            try await fixture.notes(6).sorted() == [
                "q" + gone, "q" + one, "qinitial 2", "s" + gone, "s" + one, "sinitial 2",
            ])
        token.invalidate()
    }

    @MainActor
    private static func observe(_ configuration: Realm.Configuration, on actor: MapActor) async -> NotificationToken {
        guard let realm = try? await Realm(configuration: configuration) else { fatalError("no realm") }
        return await realm.objects(ObservedPrices.self)[0].trees.observe(on: actor) { actor, change in
            actor.note(text(change))
        }
    }

    @Test("ThreadSafeReference(Map) maps freeze, thaw and go to other threads")
    func frozen() async throws {
        try write { $0.prices["ash"] = 1 }
        let reference = try fixture.run { realm in
            let prices = realm.objects(ObservedPrices.self)[0].prices
            let frozen = prices.freeze()
            try realm.write { prices["elm"] = 2 }
            #expect(frozen.isFrozen && !prices.isFrozen && frozen.keys == ["ash"] && frozen.freeze() === frozen)
            #expect(frozen.thaw()?.keys == ["ash", "elm"] && prices.thaw() === prices)
            return ThreadSafeReference(to: prices)
        }
        #expect(try QueueFixture(beside: fixture).run { $0.resolve(reference)?.keys } == ["ash", "elm"])
        #expect(
            await exception { _ = Map<String, Int>().freeze() }
                == "This method may only be called on RLMDictionary instances retrieved from an RLMRealm")
        #expect(
            await exception { _ = Map<String, Int>().observe { _ in } }
                == "Change notifications are only supported on managed collections.")
    }

    @Test("maps publish that they changed, themselves and their changes")
    func publishers() async throws {
        try write { $0.prices["ash"] = 1 }
        try fixture.run { [fixture, kept] realm in
            let prices = realm.objects(ObservedPrices.self)[0].prices
            kept.all = [
                prices.objectWillChange.sink { fixture.note("will") },
                prices.collectionPublisher.sink(receiveCompletion: { _ in }) { fixture.note("value \($0.count)") },
                prices.collectionPublisher(keyPaths: nil).sink(receiveCompletion: { _ in }) {
                    fixture.note("value \($0.count)")
                },
                prices.changesetPublisher.sink { fixture.note(Self.text($0)) },
                prices.changesetPublisher(keyPaths: []).sink { fixture.note(Self.text($0)) },
            ]
        }
        _ = try await fixture.notes(5)
        try write { $0.prices["elm"] = 2 }
        #expect(
            try await fixture.notes(10).sorted() == [
                #"2 [] ["elm"] []"#, #"2 [] ["elm"] []"#, "initial 1", "initial 1", "value 1", "value 1", "value 2",
                "value 2", "will", "will",
            ])
    }
}
