import Foundation
import RealmSwift
import StoreTesting
import Testing
import TestBasics

@Suite("Order, distinct and aggregates")
struct QueryOrderTests {
    private typealias Order = RealmSwift.SortDescriptor

    @Test("sorting by names, key paths and several descriptors; stable, and a later sort is primary")
    func sorting() throws {
        let realm = try QueryWorld.filled(12)
        let dogs = realm.objects(QueryDog.self)
        let plain = Array(dogs)
        func stable(_ order: (QueryDog, QueryDog) -> Bool) -> [Int] { plain.sorted(by: order).map(\.id) }
        #expect(Array(dogs.sorted(byKeyPath: "age").map(\.id)) == stable { $0.age < $1.age })
        #expect(Array(dogs.sorted(by: \.age, ascending: false).map(\.id)) == stable { $0.age > $1.age })
        let both = dogs.sorted(by: [Order(keyPath: "age", ascending: false), "weight"])
        #expect(
            Array(both.map(\.id)) == stable { $0.age == $1.age ? $0.weight < $1.weight : $0.age > $1.age })
        #expect(
            Array(dogs.sorted(byKeyPath: "weight").sorted(byKeyPath: "age", ascending: false).map(\.id))
                == Array(both.map(\.id)))
        #expect(dogs.sorted(by: [Order]()) == dogs)
        let nicks = Array(dogs.sorted(byKeyPath: "nick").map(\.nick))
        #expect(nicks.prefix(4).allSatisfy { $0 == nil } && nicks.dropFirst(4).allSatisfy { $0 != nil })
        let owners = Array(dogs.sorted(byKeyPath: "owner.name").map { $0.owner?.name })
        #expect(owners.last == .some(nil) && owners.first == "Ann")
        #expect(
            Array(dogs.sorted(by: [Order(keyPath: \QueryDog.owner?.name, ascending: false)]).map { $0.owner?.name })
                .first == .some(nil))
        for path in ["worth", "tag", "chip", "any", "born", "alive", "size", "code", "rate"] {
            #expect(dogs.sorted(byKeyPath: path).count == 12, "\(path)")
        }
        #expect(Order(keyPath: "a").reversed() == Order(keyPath: "a", ascending: false))
        #expect(Order(keyPath: \QueryDog.age).description == "SortDescriptor(keyPath: age, direction: ascending)")
    }

    @Test("distinct keeps the first of each combination, and drops null links on the way")
    func distinct() throws {
        let realm = try QueryWorld.filled(12)
        let dogs = realm.objects(QueryDog.self)
        #expect(Array(dogs.distinct(by: ["age"]).map(\.id)) == [0, 1, 2, 3])
        #expect(Array(dogs.distinct(by: [\QueryDog.age, \.alive]).map(\.id)) == [0, 1, 2, 3])
        #expect(Array(dogs.distinct(by: ["nick"]).map(\.id)) == [0, 1, 2])
        #expect(Array(dogs.distinct(by: ["owner.name"]).map(\.id)) == [0, 1])
        #expect(Array(dogs.sorted(by: \.id, ascending: false).distinct(by: ["age"]).map(\.id)) == [11, 10, 9, 8])
        #expect(Array(dogs.distinct(by: ["age"]).sorted(by: \.id, ascending: false).map(\.id)) == [3, 2, 1, 0])
        #expect(dogs.distinct(by: [String]()) == dogs)
        // Filters are applied first, wherever they occur.
        #expect(Array(dogs.distinct(by: ["age"]).filter("id > 4").map(\.id)) == [5, 6, 7, 8])
    }

    @Test(
        "what cannot be sorted by",
        arguments: [
            ("nothing", "Cannot sort on key path 'nothing': property 'QueryDog.nothing' does not exist."),
            ("photo", "Cannot sort on key path 'photo': property 'QueryDog.photo' is of unsupported type 'data'."),
            (
                "age.x",
                "Cannot sort on key path 'age.x': property 'QueryDog.age' of type 'int' may only be the final property in the key path."
            ),
            ("", "Cannot sort on key path '': missing property name."),
            ("@count", "Cannot sort on key path '@count': KVC collection operators are not supported."),
        ])
    func unsortable(_ path: String, _ message: String) async {
        #expect(
            await exception { _ = try QueryWorld.realm().objects(QueryDog.self).sorted(byKeyPath: path) } == message)
    }

    @Test(
        "nothing is sorted by a collection or made distinct by one, at the end of a key path or on the way",
        arguments: [
            ("dogs", "ProofOwner.dogs", "array"), ("dogs.age", "ProofOwner.dogs", "array"),
            ("numbers", "ProofOwner.numbers", "array"), ("homes.street", "ProofOwner.homes", "array"),
            ("pack", "ProofOwner.pack", "set"), ("pack.name", "ProofOwner.pack", "set"),
            ("digits", "ProofOwner.digits", "set"), ("named", "ProofOwner.named", "dictionary"),
            ("scores", "ProofOwner.scores", "dictionary"),
        ])
    func unsortableCollections(_ path: String, _ property: String, _ kind: String) async {
        let message = "Cannot sort on key path '\(path)': property '\(property)' is of unsupported type '\(kind)'."
        @Sendable func owners() throws -> Results<ProofOwner> {
            try Realm(configuration: .init(inMemoryIdentifier: "unsortable \(path)", objectTypes: Form.types))
                .objects(ProofOwner.self)
        }
        #expect(await exception { _ = try owners().sorted(byKeyPath: path) } == message)
        #expect(await exception { _ = try owners().distinct(by: [path]) } == message)
    }

    @Test("nothing is sorted by linking objects, which a link may lead to", arguments: ["owners", "owner.owned.age"])
    func unsortableBacklinks(_ path: String) async {
        let message = await exception {
            if path == "owners" {
                _ = try Realm(configuration: .init(inMemoryIdentifier: "owners", objectTypes: Form.types))
                    .objects(ProofDog.self).sorted(byKeyPath: path)
            } else {
                _ = try QueryWorld.realm().objects(QueryDog.self).sorted(byKeyPath: path)
            }
        }
        let property = path == "owners" ? "ProofDog.owners" : "QueryPerson.owned"
        #expect(
            message
                == "Cannot sort on key path '\(path)': property '\(property)' is of unsupported type 'linking objects'."
        )
    }

    @Test("links and collections cannot be sorted by")
    func unsortableLinks() async {
        for path in ["owner", "scores", "owner.dogs.age"] {
            #expect(
                await exception { _ = try QueryWorld.realm().objects(QueryDog.self).sorted(byKeyPath: path) }?
                    .hasPrefix("Cannot sort on key path '\(path)': ") == true)
        }
    }

    @Test("aggregates of properties, of stored and unmanaged objects")
    func aggregates() throws {
        let realm = try QueryWorld.filled(12)
        let dogs = realm.objects(QueryDog.self)
        let plain = Array(dogs)
        #expect(dogs.min(ofProperty: "age") == 0 && dogs.max(ofProperty: "age") == 3)
        #expect(dogs.min(of: \.age) == 0 && dogs.max(of: \.weight) == 4.5)
        #expect(dogs.sum(of: \.age) == plain.map(\.age).reduce(0, +))
        #expect(dogs.average(ofProperty: "age") == 1.5)
        #expect(dogs.average(of: \.weight) == plain.map(\.weight).reduce(0, +) / 12)
        #expect(dogs.sum(of: \.rate) == plain.map(\.rate).reduce(0, +))
        #expect(dogs.sum(of: \.worth) == 12 && dogs.average(of: \.worth) == 1)
        #expect(dogs.min(of: \.born) == Date(timeIntervalSince1970: 0))
        #expect(dogs.max(of: \.size) == .large && dogs.sum(of: \.narrow) == 12)
        #expect(dogs.min(of: \.optAge) == .some(plain.compactMap(\.optAge).min()))
        #expect(dogs.sum(of: \.optAge) == plain.compactMap(\.optAge).reduce(0, +))
        #expect(dogs.max(of: \.any) == .string("s1"))
        let none = dogs.filter("id == 99")
        #expect(none.min(of: \.age) == nil && none.average(ofProperty: "age") as Double? == nil)
        #expect(none.sum(of: \.age) == 0 && none.sum(of: \.optWeight) == .some(0))
        let unmanaged = QueryPerson()
        for id in 0..<5 { unmanaged.dogs.append(QueryWorld.dog(id)) }
        #expect(unmanaged.dogs.max(of: \.age) == 3 && unmanaged.dogs.sum(of: \.age) == 6)
        #expect(unmanaged.dogs.average(ofProperty: "weight") == 2.5)
        #expect(dogs.distinct(by: ["age"]).sum(of: \.id) == 6)
    }

    @Test(
        "aggregates of what is unknown, or has none",
        arguments: [
            ("nothing", "Invalid property name: property 'nothing' not found in object of type 'QueryDog'"),
            ("name", "Operation 'sum' not supported for string property 'QueryDog.name'"),
            ("born", "Operation 'sum' not supported for date property 'QueryDog.born'"),
            ("optBorn", "Operation 'sum' not supported for date? property 'QueryDog.optBorn'"),
            ("scores", "Operation 'sum' not supported for int list 'QueryDog.scores'"),
            ("owner.name", "Invalid property name: property 'owner.name' not found in object of type 'QueryDog'"),
        ])
    func refusedAggregates(_ property: String, _ message: String) async {
        #expect(
            await exception {
                let _: Int = try QueryWorld.realm().objects(QueryDog.self).sum(ofProperty: property)
            } == message)
    }

    @Test("a mean with a fraction is no Int; narrow integers are cut")
    func fractions() async throws {
        let realm = try QueryWorld.filled(12)
        #expect(realm.objects(QueryDog.self).average(ofProperty: "age") as Int8? == 1)
        #expect(realm.objects(QueryDog.self).average(ofProperty: "narrow") as Int? == 1)
        #expect(
            await exception {
                _ = try QueryWorld.filled(12).objects(QueryDog.self).average(ofProperty: "age") as Int?
            } == "Could not convert value '1.5' to type 'Int'")
    }

    @Test("collections of values: sorted, distinct, added up, live and within a write")
    func values() throws {
        let realm = try QueryWorld.realm()
        let dog = QueryDog()
        for score in [3, 1, 2, 3, 1] { dog.scores.append(score) }
        for score in [3, nil, 1, 3] { dog.optScores.append(score) }
        #expect(dog.scores.sum() == 10 && dog.scores.min() == 1 && dog.scores.average() == 2.0)
        try realm.write { realm.add(dog) }
        let sorted = dog.scores.sorted()
        let falling = dog.scores.sorted(ascending: false)
        let distinct = dog.scores.distinct()
        #expect(Array(sorted) == [1, 1, 2, 3, 3] && Array(falling) == [3, 3, 2, 1, 1])
        #expect(Array(distinct) == [3, 1, 2] && Array(distinct.sorted()) == [1, 2, 3])
        #expect(Array(dog.optScores.sorted()) == [nil, 1, 3, 3] && Array(dog.optScores.distinct()) == [3, nil, 1])
        #expect(dog.scores.sum() == 10 && dog.scores.max() == 3 && dog.scores.average() == 2.0)
        #expect(dog.optScores.min() == .some(1) && dog.optScores.sum() == .some(7))
        #expect(distinct.sum() == 6 && dog.scores.min(ofProperty: "self") == 1)
        try realm.write {
            dog.scores.append(0)
            #expect(sorted.first == 0 && distinct.count == 4 && falling.last == 0)
        }
        #expect(Array(sorted) == [0, 1, 1, 2, 3, 3])
        #expect(dog.times.min() == nil && dog.words.sorted().isEmpty)
    }

    @Test("plain values are sorted and added up by themselves alone")
    func refusedValues() async {
        @Sendable func refusal(_ body: @escaping @Sendable (QueryDog) -> Void) async -> String? {
            await exception { body(try QueryWorld.filled(4).objects(QueryDog.self)[3]) }
        }
        #expect(
            await refusal { _ = $0.scores.sorted(by: [RealmSwift.SortDescriptor(keyPath: "x")]) }
                == "Cannot sort on key path 'x': arrays of 'int' can only be sorted on 'self'")
        #expect(
            await refusal { _ = $0.scores.sorted(by: ["self", "self"]) }
                == "Cannot sort array of 'int' on more than one key path")
        #expect(
            await refusal { let _: Int? = $0.scores.min(ofProperty: "x") }
                == "Arrays of 'int' can only be aggregated on \"self\"")
        #expect(
            await refusal { let _: Int? = $0.words.min(ofProperty: "self") }
                == "Operation 'min' not supported for string list 'QueryDog.words'")
    }

    @Test("results are live, also within a write; chains are evaluated when they are used; copies are equal")
    func live() throws {
        let realm = try QueryWorld.filled(8)
        let dogs = realm.objects(QueryDog.self)
        let old = dogs.filter("age > 2").sorted(byKeyPath: "id", ascending: false)
        let copy = old
        #expect(copy == old && old != dogs.filter("age > 2").sorted(byKeyPath: "id", ascending: false))
        #expect(Array(old.map(\.id)) == [7, 3])
        try realm.write {
            let dog = realm.create(QueryDog.self, value: ["id": 20, "age": 9])
            #expect(Array(old.map(\.id)) == [20, 7, 3] && copy.count == 3 && old.sum(of: \.age) == 15)
            #expect(dogs.filter("age > 2").count == 3 && old.index(matching: "id == 7") == 1)
            dog.age = 0
            #expect(Array(old.map(\.id)) == [7, 3])
            realm.delete(dogs.filter("age > 2"))
            #expect(old.isEmpty)
            realm.cancelWrite()
        }
        #expect(Array(old.map(\.id)) == [7, 3])
        // The elements of the iteration are fixed when it starts.
        try realm.write {
            var seen = 0
            for dog in old {
                dog.age = 0
                seen += 1
            }
            #expect(seen == 2 && old.isEmpty)
        }
    }

    @Test("positions out of range, and results of a realm that was invalidated")
    func outOfRange() async throws {
        #expect(
            await exception { _ = try QueryWorld.filled(2).objects(QueryDog.self)[2] }
                == "Index 2 is out of bounds (must be less than 2).")
        #expect(
            await exception { _ = try QueryWorld.filled(2).objects(QueryDog.self)[-1] }
                == "Cannot pass a negative value for 'index'.")
        #expect(
            await exception {
                let realm = try QueryWorld.filled(2)
                let sorted = realm.objects(QueryDog.self).sorted(byKeyPath: "age")
                realm.invalidate()
                _ = sorted.count
            } == "Access to invalidated Results objects")
        #expect(try QueryWorld.filled(2).objects(QueryDog.self).description.hasPrefix("Results<QueryDog>"))
    }

    @Test("random chains on random data give what plain Swift gives", arguments: 0..<3 * TestRun.length)
    func random(_ round: Int) throws {
        let seed = TestSeed.of(round)
        var random = SeededRandom(seed: seed)
        let realm = try QueryWorld.realm()
        try realm.write {
            for id in 0..<40 {
                let dog = QueryWorld.dog(id)
                dog.age = Int.random(in: 0...6, using: &random)
                dog.weight = Double(Int.random(in: 0...3, using: &random))
                dog.optAge = Bool.random(using: &random) ? nil : Int.random(in: 0...4, using: &random)
                realm.add(dog)
            }
        }
        for step in 0..<40 {
            var results = realm.objects(QueryDog.self)
            var steps: [String] = []
            var filters: [(QueryDog) -> Bool] = []
            var orders: [(inout [QueryDog]) -> Void] = []
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let bound = Int.random(in: 0...6, using: &random)
                switch Int.random(in: 0...4, using: &random) {
                case 0:
                    results = results.where { $0.age <= bound }
                    filters.append { $0.age <= bound }
                    steps.append("age <= \(bound)")
                case 1:
                    results = results.filter("optAge >= %@ OR weight == %@", bound, 2.0)
                    filters.append { $0.optAge.map { $0 >= bound } ?? false || $0.weight == 2 }
                    steps.append("optAge >= \(bound) OR weight == 2")
                case 2:
                    results = results.sorted(by: \.age, ascending: false)
                    orders.append { $0.sort { $0.age > $1.age } }
                    steps.append("sort age")
                case 3:
                    results = results.sorted(byKeyPath: "optAge")
                    orders.append { $0.sort { ($0.optAge ?? -1) < ($1.optAge ?? -1) } }
                    steps.append("sort optAge")
                default:
                    results = results.distinct(by: ["weight", "optAge"])
                    orders.append { dogs in
                        var seen: Set<[String]> = []
                        dogs = dogs.filter {
                            seen.insert(["\($0.weight)", "\(String(describing: $0.optAge))"]).inserted
                        }
                    }
                    steps.append("distinct")
                }
            }
            var wanted = Array(realm.objects(QueryDog.self)).filter { dog in filters.allSatisfy { $0(dog) } }
            for order in orders { order(&wanted) }
            #expect(Array(results.map(\.id)) == wanted.map(\.id), "seed \(seed), step \(step): \(steps)")
            #expect(results.count == wanted.count && results.sum(of: \.age) == wanted.map(\.age).reduce(0, +))
            #expect(results.max(of: \.optAge) ?? nil == wanted.compactMap(\.optAge).max(), "seed \(seed), \(steps)")
        }
    }
}
