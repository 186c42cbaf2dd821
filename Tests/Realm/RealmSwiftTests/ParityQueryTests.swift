import Foundation
import RealmSwift
import Testing

class ParityNode: Object {
    @Persisted var id: Int
    @Persisted var s: String
    @Persisted var n: Int?
    @Persisted var any: AnyRealmValue
    @Persisted var next: ParityNode?
    @Persisted var list: List<ParityNode>
    @Persisted var other: MutableSet<ParityNode>
    @Persisted var byName: Map<String, ParityNode?>
    @Persisted var words: List<String>
    @Persisted var place: ParityHome?

    convenience init(_ id: Int, _ s: String = "", _ n: Int? = nil) {
        self.init()
        (self.id, self.s, self.n) = (id, s, n)
    }
}

class ParityMixed: Object {
    @Persisted var id: Int
    @Persisted var value: AnyRealmValue
    @Persisted var list: List<AnyRealmValue>
    @Persisted var map: Map<String, AnyRealmValue>
}

@Suite("Parity with Realm: queries")
struct ParityQueryTests {
    private static let types: [ObjectBase.Type] = [ParityNode.self, ParityHome.self]

    /// Five nodes, each of which lists those before it.
    private static func nodes() -> [ParityNode] {
        var nodes: [ParityNode] = []
        for id in 0..<5 {
            let node = ParityNode(id, ["a", "b", "a", "c", "b"][id], id == 3 ? nil : id * 2)
            node.list.append(objectsIn: nodes)
            node.other.insert(objectsIn: nodes.suffix(1))
            node.byName["last"] = nodes.last
            node.next = nodes.first
            node.words.append(objectsIn: (0..<id).map { "w\($0)" })
            node.place = id == 2 ? nil : ParityHome(value: ["street": "s\(id)", "rooms": id])
            nodes.append(node)
        }
        return nodes
    }

    private static func stored() throws -> Results<ParityNode> {
        let realm = try ParityRealm.open(types)
        try realm.write { realm.add(nodes()) }
        return realm.objects(ParityNode.self).sorted(byKeyPath: "id")
    }

    @Test("Query.== of a mixed value with a list or a dictionary compares the elements")
    func mixedCollections() throws {
        let values: [AnyRealmValue] = [
            .fromArray([.int(1), .string("x")]), .fromArray([.int(1)]), .fromArray([]), .int(1), .none,
            .fromDictionary(["k": .int(1), "l": .none]), .fromDictionary(["k": .int(1)]), .fromDictionary([:]),
            .fromDictionary(["k": .fromArray([.int(1), .fromDictionary(["z": .bool(true)])])]),
            .fromArray([.fromArray([.int(1)]), .none]), .fromDictionary(["k": .int(1), "m": .none]),
            .fromArray([.double(1), .string("x")]), .fromArray([.string("x"), .int(1)]),
        ]
        let realm = try ParityRealm.open(Self.types)
        try realm.write {
            for (id, value) in values.enumerated() {
                let node = ParityNode(id)
                node.any = value
                realm.add(node)
            }
        }
        let nodes = realm.objects(ParityNode.self)
        for (id, value) in values.enumerated() {
            // Numbers are compared by value.
            let equal = id == 0 || id == 11 ? [0, 11] : [id]
            #expect(nodes.where { $0.any == value }.map(\.id) == equal, "\(id)")
            #expect(
                nodes.where { $0.any != value }.map(\.id) == values.indices.filter { !equal.contains($0) }, "\(id)")
        }
        #expect(nodes.where { $0.any == values[5] || $0.any == values[0] }.map(\.id) == [0, 5, 11])
        #expect(nodes.where { !($0.any == values[5]) && $0.id < 6 }.map(\.id) == [0, 1, 2, 3, 4])
        #expect(nodes.where { $0.any.in([values[1], .int(1), values[7]]) }.map(\.id) == [1, 3, 7])
        #expect(
            nodes.where { $0.any["k"] == .fromArray([.int(1), .fromDictionary(["z": .bool(true)])]) }.map(\.id) == [8])
        #expect(nodes.where { $0.any[0] == .fromArray([.int(1)]) }.map(\.id) == [9])
        let condition = (Query<ParityNode>._constructForTesting().any == values[0])._constructPredicate()
        #expect(condition.0 == "(any == %@)" && condition.1.count == 1)
    }

    @Test("Query.== Query.contains(element) of collections of mixed values with a list or a dictionary")
    func mixedElements() throws {
        let values: [[AnyRealmValue]] = [
            [.fromArray([.int(1), .string("x")]), .int(7)], [.fromArray([.double(1), .string("x")])], [.fromArray([])],
            [], [.none, .fromDictionary(["k": .fromArray([.none])])],
            [.fromDictionary(["k": .int(1)]), .fromArray([])],
        ]
        let realm = try ParityRealm.open([ParityMixed.self])
        try realm.write {
            for (id, elements) in values.enumerated() {
                let object = realm.create(ParityMixed.self, value: ["id": id])
                object.list.append(objectsIn: elements)
                for (number, element) in elements.enumerated() { object.map["\(number)"] = element }
                object.value = .fromArray(elements)
            }
        }
        let objects = realm.objects(ParityMixed.self).sorted(byKeyPath: "id")
        func ids(_ condition: (Query<ParityMixed>) -> Query<Bool>) -> [Int] { objects.where(condition).map(\.id) }
        let asked: [(AnyRealmValue, [Int])] = [
            (.fromArray([.int(1), .string("x")]), [0, 1]), (.fromArray([]), [2, 5]), (.fromArray([.string("x")]), []),
            (.fromDictionary(["k": .fromArray([.none])]), [4]), (.fromDictionary(["k": .int(1)]), [5]),
            (.fromDictionary(["l": .int(1)]), []), (.fromDictionary([:]), []), (.int(7), [0]), (.none, [4]),
        ]
        for (value, expected) in asked {
            #expect(ids { $0.list.contains(value) } == expected, "\(value)")
            #expect(ids { $0.list == value } == expected, "\(value)")
            #expect(ids { $0.map.contains(value) } == expected, "\(value)")
            #expect(ids { $0.map == value } == expected && ids { $0.map.values == value } == expected, "\(value)")
            #expect(ids { $0.value.any == value } == expected, "\(value)")
            #expect(ids { !$0.list.contains(value) } == values.indices.filter { !expected.contains($0) }, "\(value)")
            // Any element that is another one.
            #expect(
                ids { $0.list != value }
                    == values.indices.filter { id in
                        values[id].count > (expected.contains(id) ? 1 : 0)
                    }, "\(value)")
            #expect(objects.filter("ANY list == %@", value).map(\.id) == expected)
            #expect(objects.filter("%@ IN list", value).map(\.id) == expected)
        }
        #expect(ids { $0.list.containsAny(in: [.fromArray([]), .int(7), .fromDictionary([:])]) } == [0, 2, 5])
        let many = (0..<20).map { AnyRealmValue.fromArray([.int($0)]) } + [.fromArray([])]
        #expect(ids { $0.list.containsAny(in: many) } == [2, 5])
        #expect(ids { $0.value.in([.fromArray([]), .int(1)]) } == [3])
    }

    @Test("what is asked of the linking objects of an unmanaged object is empty")
    func unmanagedLinkingObjects() async throws {
        let admirers = ParityPerson().admirers
        #expect(admirers.isEmpty && admirers.realm == nil && !admirers.isInvalidated && !admirers.isFrozen)
        let results = [
            admirers.filter("name == 'a'"), admirers.where { $0.name == "a" },
            admirers.filter(NSPredicate(value: true)),
            admirers.sorted(byKeyPath: "name"), admirers.sorted(by: \.id), admirers.distinct(by: ["name"]),
            admirers.sorted(byKeyPath: "name").filter("id > 1").distinct(by: ["id"]),
            AnyRealmCollection(admirers).filter("id == 1"),
        ]
        for results in results {
            #expect(results.isEmpty && results.first == nil && results.last == nil && Array(results).isEmpty)
            #expect(results.realm == nil && !results.isInvalidated && !results.isFrozen)
            #expect(results.index(matching: "id == 1") == nil && results.where { $0.id == 1 }.isEmpty)
            #expect(results.max(ofProperty: "id") as Int? == nil && results.sum(of: \.id) == 0)
            #expect((results.value(forKey: "id") as? [Any])?.isEmpty == true && results.description.contains("Results"))
        }
        let unmanaged = "This method may only be called on RLMArray instances retrieved from an RLMRealm"
        #expect(await exception { _ = ParityPerson().admirers.filter("id == 1").freeze() } == unmanaged)
        #expect(await exception { _ = List<ParityPerson>().filter("id == 1") } == unmanaged)
        #expect(await exception { _ = AnyRealmCollection(List<ParityPerson>()).filter("id == 1") } == unmanaged)
    }

    @Test("Query.subquery: in another one, of one collection and several, and with properties of the elements")
    func subqueries() throws {
        let nodes = try Self.stored()
        func ids(_ condition: (Query<ParityNode>) -> Query<Bool>) -> [Int] { nodes.where(condition).map(\.id) }
        func expected(_ condition: (ParityNode) -> Bool) -> [Int] { nodes.filter(condition).map(\.id) }
        // The inner one ranges over the elements' own collection.
        #expect(
            ids { ($0.list.s == "b" && ($0.list.n > 0).count > 0).count > 0 }
                == expected { $0.list.contains { $0.s == "b" && $0.list.contains { $0.n ?? 0 > 0 } } })
        #expect(
            ids { ($0.list.s == "b" && ($0.list.list.s == "a").count >= 2).count > 0 }
                == expected { $0.list.contains { $0.s == "b" && $0.list.filter { $0.s == "a" }.count >= 2 } })
        #expect(
            ids { ($0.list.id > 0 && ($0.other.s == "a").count > 0).count == 1 }
                == expected { $0.list.filter { $0.id > 0 && $0.other.contains { $0.s == "a" } }.count == 1 })
        #expect(
            ids {
                ($0.list.id > 0 && ($0.list.list.id > 0 && ($0.list.list.list.s == "a").count > 0).count > 0).count > 0
            }
                == expected {
                    $0.list.contains {
                        $0.id > 0 && $0.list.contains { $0.id > 0 && $0.list.contains { $0.s == "a" } }
                    }
                })
        // Other properties are those of the element, too.
        #expect(ids { ($0.list.s == $0.s).count > 0 } == expected { !$0.list.isEmpty })
        #expect(
            ids { ($0.list.s == "a" && $0.id > 1).count > 0 }
                == expected { $0.list.contains { $0.s == "a" && $0.id > 1 } })
    }

    /// Conditions for `index(matching:)`, as closures and as formats, with their meaning in Swift.
    struct Condition: Sendable {
        let query: @Sendable (Query<ParityNode>) -> Query<Bool>
        let format: String
        let meaning: @Sendable (ParityNode) -> Bool

        init(
            _ query: @escaping @Sendable (Query<ParityNode>) -> Query<Bool>, _ format: String,
            _ meaning: @escaping @Sendable (ParityNode) -> Bool
        ) {
            (self.query, self.format, self.meaning) = (query, format, meaning)
        }
    }

    static let conditions: [Condition] = [
        Condition({ $0.s == "b" }, "s == 'b'", { $0.s == "b" }),
        Condition({ $0.n == nil }, "n == nil", { $0.n == nil }),
        Condition({ $0.n > 3 }, "n > 3", { $0.n ?? 0 > 3 }),
        Condition({ $0.id == 9 }, "id == 9", { _ in false }),
        Condition({ $0.next.s == "a" }, "next.s == 'a'", { $0.next?.s == "a" }),
        Condition({ $0.list.s == "b" }, "ANY list.s == 'b'", { $0.list.contains { $0.s == "b" } }),
        Condition({ $0.list.count == 3 }, "list.@count == 3", { $0.list.count == 3 }),
        Condition({ $0.other.id >= 2 }, "ANY other.id >= 2", { $0.other.contains { $0.id >= 2 } }),
        Condition({ $0.words.contains("w2") }, "'w2' IN words", { $0.words.contains("w2") }),
        Condition({ $0.place.rooms > 2 }, "place.rooms > 2", { $0.place?.rooms ?? 0 > 2 }),
        Condition({ $0.place == nil }, "place == nil", { $0.place == nil }),
        Condition({ $0.list.n.sum == 2 }, "list.@sum.n == 2", { $0.list.reduce(0) { $0 + ($1.n ?? 0) } == 2 }),
        Condition(
            { ($0.list.s == "a").count == 2 }, "SUBQUERY(list, $x, $x.s == 'a').@count == 2",
            {
                $0.list.filter { $0.s == "a" }.count == 2
            }),
        Condition(
            { $0.byName["last"].s == "c" }, "byName['last'].s == 'c'", { $0.byName["last"].flatMap { $0 }?.s == "c" }),
    ]

    @Test("index(matching:) of an unmanaged list is that of a managed one", arguments: conditions.indices)
    func unmanagedIndex(_ index: Int) throws {
        let (condition, format, meaning) = (
            Self.conditions[index].query, Self.conditions[index].format, Self.conditions[index].meaning
        )
        let nodes = Self.nodes()
        let list = List<ParityNode>()
        list.append(objectsIn: nodes)
        let wanted = nodes.firstIndex(where: meaning)
        let holder = ParityNode()
        holder.list.append(objectsIn: nodes)
        let reversed = List<ParityNode>()
        reversed.append(objectsIn: nodes.reversed())
        // A closure cannot name a property behind the key of a map.
        if !format.contains("byName") { #expect(list.index(matching: condition) == wanted) }
        #expect(list.index(matching: format) == wanted && list.index(matching: NSPredicate(format: format)) == wanted)
        #expect(
            holder.list.index(matching: format) == wanted && AnyRealmCollection(list).index(matching: format) == wanted)
        #expect(reversed.index(matching: format) == Array(nodes.reversed()).firstIndex(where: meaning))
        #expect(nodes.allSatisfy { $0.realm == nil } && list.count == 5)
        // Managed elements of an unmanaged list, and both kinds together.
        let realm = try ParityRealm.open(Self.types)
        try realm.write { realm.add(holder) }
        #expect(holder.list.index(matching: format) == wanted && list.index(matching: format) == wanted)
        let fresh = Self.nodes()
        let mixed = List<ParityNode>()
        mixed.append(objectsIn: [fresh[0], nodes[1], fresh[2], nodes[3], fresh[4]])
        #expect(mixed.index(matching: format) == wanted)
    }

    @Test(
        "index(matching:) of unmanaged lists: embedded objects, equal keys, cycles, none, and what cannot be asked")
    func unmanagedKinds() async throws {
        let homes = List<ParityHome>()
        homes.append(objectsIn: (0..<3).map { ParityHome(value: ["street": "s\($0)", "rooms": $0]) })
        #expect(homes.index(matching: { $0.rooms == 2 }) == 2 && homes.index(matching: "street == 's1'") == 1)
        let people = List<ParityPerson>()
        people.append(objectsIn: [ParityPerson(1, "a"), ParityPerson(1, "b"), ParityPerson(1, "c")])
        people[0].friend = people[1]
        people[1].friend = people[0]
        for person in people { person.friends.append(objectsIn: people) }
        #expect(people.index(matching: { $0.name == "c" }) == 2 && people.index(matching: "friend.name == 'a'") == 1)
        #expect(people.index(matching: { $0.friends.name == "b" }) == 0)
        #expect(List<ParityPerson>().index(matching: "name == 'a'") == nil && people.index(matching: "id == 3") == nil)
        #expect(ParityPerson().admirers.index(matching: "name == 'a'") == nil)
        #expect(await exception { _ = List<ParityPerson>().index(matching: "none == 1") } == nil)
        #expect(
            await exception {
                let people = List<ParityPerson>()
                people.append(ParityPerson())
                _ = people.index(matching: "none == 1")
            } != nil)
        #expect(
            await exception { _ = MutableSet<ParityPerson>().index(matching: "id == 1") }
                == "index(matching:) is not available on MutableSet")
    }

    /// Rings as their south-west corners and sizes, and what is wrong with them; nil for nothing.
    static let rings: [(rings: [[Double]], fault: String?)] = [
        ([[0, 0, 10], [4, 4, 2]], nil), ([[0, 0, 10], [20, 20, 2]], "not within"),
        ([[0, 0, 10], [8, 8, 4]], "cross"),
        ([[0, 0, 10], [0, 0, 10]], "share the edge"), ([[0, 0, 10], [2, 2, 6], [4, 4, 2]], "is within ring 1"),
    ]

    @Test("Query.geoWithin(_:) a polygon with faulty rings is misuse", arguments: rings.indices)
    func faultyPolygons(_ index: Int) async {
        let (rings, fault) = Self.rings[index]
        let message = await exception {
            let corners = rings.map { ring -> [(Double, Double)] in
                let (south, west, size) = (ring[0], ring[1], ring[2])
                return [
                    (south, west), (south, west + size), (south + size, west + size), (south + size, west),
                    (south, west),
                ]
            }
            guard let polygon = GeoPolygon(outerRing: corners[0], holes: Array(corners.dropFirst())) else { return }
            let people = try QueryWorld.filled().objects(QueryPerson.self)
            #expect(people.where { $0.home.geoWithin(polygon) }.count == 0)
        }
        #expect(fault == nil ? message == nil : message?.contains(fault ?? "") == true, "\(message ?? "none")")
    }
}
