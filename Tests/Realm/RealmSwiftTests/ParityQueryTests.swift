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
}
