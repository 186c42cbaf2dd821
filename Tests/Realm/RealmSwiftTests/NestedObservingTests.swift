import Foundation
import RealmSwift
import Testing

class NestedThing: Object {
    @Persisted var any: AnyRealmValue
    @Persisted var list: List<AnyRealmValue>
    @Persisted var map: Map<String, AnyRealmValue>
    @Persisted var other = 0
}

@Suite("Observing parts of mixed values")
struct NestedObservingTests {
    private let place = Place([NestedThing.self])

    private func write(_ body: @Sendable (NestedThing, Realm) -> Void) throws {
        try place.run { realm in
            try realm.write { body(realm.objects(NestedThing.self)[0], realm) }
            realm.refresh()
        }
    }

    @Sendable private static func text<C: RealmCollection>(_ change: RealmCollectionChange<C>) -> String {
        switch change {
        case .initial(let list): "initial \(list.count)"
        case .update(_, let deletions, let insertions, let modifications):
            "\(deletions) \(insertions) \(modifications)"
        case .error: "error"
        }
    }

    @Sendable private static func text<M: RealmKeyedCollection>(_ change: RealmMapChange<M>) -> String {
        switch change {
        case .initial(let map): "initial \(map.count)"
        case .update(_, let deletions, let insertions, let modifications):
            "\(deletions) \(insertions) \(modifications)"
        case .error: "error"
        }
    }

    /// The property that contains the list: alone, in a list or in a map.
    enum Holder: CaseIterable {
        case single, list, map

        func list(_ thing: NestedThing) -> List<AnyRealmValue>? {
            switch self {
            case .single: thing.any.listValue
            case .list: thing.list[0].listValue
            case .map: thing.map["k"]?.listValue
            }
        }

        func put(_ value: AnyRealmValue, _ thing: NestedThing) {
            switch self {
            case .single: thing.any = value
            case .list: if thing.list.isEmpty { thing.list.append(value) } else { thing.list[0] = value }
            case .map: thing.map["k"] = value
            }
        }
    }

    @Test("a list within a mixed value tells what became of it", arguments: Holder.allCases)
    func lists(_ holder: Holder) async throws {
        try place.run { realm in
            try realm.write {
                let thing = realm.create(NestedThing.self)
                holder.put(.fromArray([.int(1), .int(2), .fromArray([.int(3)])]), thing)
            }
        }
        try place.run { [place] realm in
            guard let list = holder.list(realm.objects(NestedThing.self)[0]) else { return }
            place.keep(list.observe { place.note(Self.text($0)) })
        }
        #expect(try await place.notes(1) == ["initial 3"])
        try write { thing, _ in holder.list(thing)?.append(.string("x")) }
        try write { thing, _ in thing.other = 5 }
        try write { thing, _ in holder.list(thing)?[1] = .int(20) }
        try write { thing, _ in holder.list(thing)?[2].listValue?.append(.int(4)) }
        try write { thing, _ in
            holder.list(thing)?.remove(at: 0)
            holder.list(thing)?.insert(.bool(true), at: 2)
        }
        try write { thing, _ in holder.put(.fromArray([.int(9)]), thing) }
        let expected = [
            "initial 3", "[] [3] []", "[] [] [1]", "[] [] [2]", "[0] [2] []", "[1, 2, 3] [] [0]",
        ]
        #expect(try await place.notes(6) == expected)
        // After a write that skips its observer, the next change is relative to that write.
        try place.run { [place] realm in
            try realm.write(withoutNotifying: place.kept) {
                holder.list(realm.objects(NestedThing.self)[0])?.append(.int(10))
            }
            realm.refresh()
        }
        try write { thing, _ in holder.list(thing)?.append(.int(11)) }
        #expect(try await place.notes(7).last == "[] [2] []")
        try write { thing, realm in realm.delete(thing) }
        #expect(try await place.notes(8).last == "[0, 1, 2] [] []")
    }

    @Test("a dictionary within a mixed value tells its keys, here and on a queue")
    func dictionaries() async throws {
        try place.run { [place] realm in
            try realm.write {
                let thing = realm.create(NestedThing.self)
                thing.any = .fromDictionary(["a": .int(1), "d": .fromDictionary(["x": .int(1)])])
            }
            guard let map = realm.objects(NestedThing.self)[0].any.dictionaryValue else { return }
            place.keep(map.observe { place.note("here " + Self.text($0)) })
        }
        _ = try await place.notes(1)
        let queue = DispatchQueue(label: "nested")
        try place.run { [place] realm in
            guard let inner = realm.objects(NestedThing.self)[0].any.dictionaryValue?["d"]?.dictionaryValue else {
                return
            }
            place.keep(inner.observe(on: queue) { place.note("inner " + Self.text($0)) })
        }
        #expect(try await place.notes(2).sorted() == ["here initial 2", "inner initial 1"])
        try write { thing, _ in
            thing.any.dictionaryValue?["b"] = .int(2)
            thing.any.dictionaryValue?["a"] = nil
        }
        #expect(try await place.notes(3).last == #"here ["a"] ["b"] []"#)
        try write { thing, _ in thing.any.dictionaryValue?["d"]?.dictionaryValue?["x"] = .int(5) }
        #expect(
            try await place.notes(5).suffix(2).sorted() == [#"here [] [] ["d"]"#, #"inner [] [] ["x"]"#])
        try write { thing, _ in thing.any = .none }
        #expect(try await place.notes(7).suffix(2).sorted() == [#"here ["b", "d"] [] []"#, #"inner ["x"] [] []"#])
    }
}
