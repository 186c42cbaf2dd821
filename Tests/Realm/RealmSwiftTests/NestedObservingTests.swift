import Foundation
import RealmSwift
import Testing

class NestedThing: Object {
    @Persisted var any: AnyRealmValue
    @Persisted var list: List<AnyRealmValue>
    @Persisted var map: Map<String, AnyRealmValue>
    @Persisted var set: MutableSet<AnyRealmValue>
    @Persisted var other = 0
}

class NestedTarget: Object {
    @Persisted var name = ""
    @Persisted var age = 0
    @Persisted var next: NestedTarget?
    override class func propertiesMapping() -> [String: String] { ["age": "years"] }
}

@Suite("Observing parts of mixed values")
struct NestedObservingTests {
    private let fixture = QueueFixture([NestedThing.self, NestedTarget.self])

    private func write(_ body: @Sendable (NestedThing, Realm) -> Void) throws {
        try fixture.run { realm in
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
        try fixture.run { realm in
            try realm.write {
                let thing = realm.create(NestedThing.self)
                holder.put(.fromArray([.int(1), .int(2), .fromArray([.int(3)])]), thing)
            }
        }
        try fixture.run { [fixture] realm in
            guard let list = holder.list(realm.objects(NestedThing.self)[0]) else { return }
            fixture.keep(list.observe { fixture.note(Self.text($0)) })
        }
        #expect(try await fixture.notes(1) == ["initial 3"])
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
        #expect(try await fixture.notes(6) == expected)
        // After a write that skips its observer, the next change is relative to that write.
        try fixture.run { [fixture] realm in
            try realm.write(withoutNotifying: fixture.kept) {
                holder.list(realm.objects(NestedThing.self)[0])?.append(.int(10))
            }
            realm.refresh()
        }
        try write { thing, _ in holder.list(thing)?.append(.int(11)) }
        #expect(try await fixture.notes(7).last == "[] [2] []")
        try write { thing, realm in realm.delete(thing) }
        #expect(try await fixture.notes(8).last == "[0, 1, 2] [] []")
    }

    @Test("a dictionary within a mixed value tells its keys, here and on a queue")
    func dictionaries() async throws {
        try fixture.run { [fixture] realm in
            try realm.write {
                let thing = realm.create(NestedThing.self)
                thing.any = .fromDictionary(["a": .int(1), "d": .fromDictionary(["x": .int(1)])])
            }
            guard let map = realm.objects(NestedThing.self)[0].any.dictionaryValue else { return }
            fixture.keep(map.observe { fixture.note("here " + Self.text($0)) })
        }
        _ = try await fixture.notes(1)
        let queue = DispatchQueue(label: "nested")
        try fixture.run { [fixture] realm in
            guard let inner = realm.objects(NestedThing.self)[0].any.dictionaryValue?["d"]?.dictionaryValue else {
                return
            }
            fixture.keep(inner.observe(on: queue) { fixture.note("inner " + Self.text($0)) })
        }
        #expect(try await fixture.notes(2).sorted() == ["here initial 2", "inner initial 1"])
        try write { thing, _ in
            thing.any.dictionaryValue?["b"] = .int(2)
            thing.any.dictionaryValue?["a"] = nil
        }
        #expect(try await fixture.notes(3).last == #"here ["a"] ["b"] []"#)
        try write { thing, _ in thing.any.dictionaryValue?["d"]?.dictionaryValue?["x"] = .int(5) }
        #expect(
            try await fixture.notes(5).suffix(2).sorted() == [#"here [] [] ["d"]"#, #"inner [] [] ["x"]"#])
        try write { thing, _ in thing.any = .none }
        #expect(try await fixture.notes(7).suffix(2).sorted() == [#"here ["b", "d"] [] []"#, #"inner ["x"] [] []"#])
    }

    /// A change of the object `x`, which is linked by an element, or of `y`, which is linked by `x`; what observers with
    /// each key path are told of it.
    private static let linkedChanges: [(name: String, change: @Sendable (Realm) -> Void, told: Set<String?>)] = [
        ("an assigned property", { target("x", $0).age = 1 }, [nil, "age"]),
        ("another property", { target("x", $0).name = "x" }, [nil, "name"]),
        ("a property behind a link", { target("y", $0).age = 2 }, [nil, "next.age"]),
        ("the link", { target("x", $0).next = target("y", $0) }, [nil, "next.age"]),
        ("an object that is linked nowhere", { target("z", $0).age = 3 }, []),
    ]

    private static func target(_ name: String, _ realm: Realm) -> NestedTarget {
        realm.objects(NestedTarget.self).filter("name == %@", name)[0]
    }

    /// A collection with a number and an element that links to `x`, directly or within a dictionary.
    enum Linking: CaseIterable {
        case list, listInList, dictionary, dictionaryInMap, mixedList, mixedMap, mixedSet

        func make(_ thing: NestedThing, _ x: NestedTarget) {
            let inner = AnyRealmValue.fromDictionary(["deep": .fromArray([.object(x)])])
            switch self {
            case .list: thing.any = .fromArray([.int(1), .object(x)])
            case .listInList: thing.list.append(.fromArray([.int(1), inner]))
            case .dictionary: thing.any = .fromDictionary(["a": .int(1), "b": .object(x)])
            case .dictionaryInMap: thing.map["k"] = .fromDictionary(["a": .int(1), "b": inner])
            case .mixedList: thing.list.append(objectsIn: [.int(1), inner])
            case .mixedMap: (thing.map["a"], thing.map["b"]) = (.int(1), .object(x))
            case .mixedSet: thing.set.insert(objectsIn: [.int(1), .object(x)])
            }
        }

        func observe(
            _ thing: NestedThing, _ paths: [String]?, _ note: @escaping (String) -> Void
        ) -> NotificationToken? {
            let (list, map) = (thing.any.listValue, thing.any.dictionaryValue)
            switch self {
            case .list: return list?.observe(keyPaths: paths) { note(NestedObservingTests.text($0)) }
            case .listInList:
                return thing.list[0].listValue?.observe(keyPaths: paths) { note(NestedObservingTests.text($0)) }
            case .dictionary: return map?.observe(keyPaths: paths) { note(NestedObservingTests.text($0)) }
            case .dictionaryInMap:
                return thing.map["k"]?.dictionaryValue?.observe(keyPaths: paths) {
                    note(NestedObservingTests.text($0))
                }
            case .mixedList: return thing.list.observe(keyPaths: paths) { note(NestedObservingTests.text($0)) }
            case .mixedMap: return thing.map.observe(keyPaths: paths) { note(NestedObservingTests.text($0)) }
            case .mixedSet: return thing.set.observe(keyPaths: paths) { note(NestedObservingTests.text($0)) }
            }
        }

        /// What is told when the second element is modified.
        var modification: String {
            switch self {
            case .list, .listInList, .mixedList, .mixedSet: "[] [] [1]"
            case .dictionary, .dictionaryInMap, .mixedMap: #"[] [] ["b"]"#
            }
        }
    }

    @Test(
        "elements are modified by changes of objects that they lead to at any depth, and key paths narrow that",
        arguments: Linking.allCases)
    func linkedObjects(_ kind: Linking) async throws {
        try fixture.run { realm in
            try realm.write {
                let (x, y, z) = (NestedTarget(), NestedTarget(), NestedTarget())
                (x.name, y.name, z.name, x.next) = ("x", "y", "z", y)
                realm.add([x, y, z])
                let thing = realm.create(NestedThing.self)
                kind.make(thing, x)
            }
        }
        let paths: [String?] = [nil, "name", "age", "next.age"]
        try fixture.run { [fixture] realm in
            let thing = realm.objects(NestedThing.self)[0]
            for path in paths {
                let token = kind.observe(thing, path.map { [$0] }) { fixture.note("\(path ?? "all") \($0)") }
                token.map { fixture.keep($0) }
            }
        }
        var count = paths.count
        _ = try await fixture.notes(count)
        for (name, change, told) in Self.linkedChanges {
            try fixture.run { realm in
                try realm.write { change(realm) }
                realm.refresh()
            }
            count += told.count
            let seen = try await fixture.notes(count)
            let expected = told.map { "\($0 ?? "all") \(kind.modification)" }
            #expect(Set(seen.suffix(told.count)) == Set(expected), "\(name)")
        }
        // Nothing more came for a change that observers are not told of.
        try write { thing, _ in thing.other = 1 }
        #expect(try await fixture.notes(count).count == count)
    }

    @Test("a key path that no object in a mixed value can have is misuse, one that some class has is none")
    func unknownPaths() async {
        for kind in Linking.allCases {
            let message = await exception {
                let configuration = Realm.Configuration(
                    inMemoryIdentifier: UUID().uuidString, objectTypes: [NestedThing.self, NestedTarget.self])
                let realm = try Realm(configuration: configuration)
                let thing = NestedThing()
                kind.make(thing, NestedTarget())
                try realm.write { realm.add(thing) }
                let queue = DispatchQueue(label: "paths")
                withExtendedLifetime(thing.map.observe(keyPaths: ["other", "next.next.age"], on: queue) { _ in }) {}
                withExtendedLifetime(thing.list.observe(keyPaths: ["next.height"], on: queue) { _ in }) {}
            }
            #expect(
                message == "Invalid property name: property 'height' not found in object of type 'NestedTarget'",
                "\(kind)")
        }
    }
}
