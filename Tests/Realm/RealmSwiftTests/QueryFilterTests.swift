import Foundation
@testable import RealmSwift
import Testing

@Suite("Filters")
struct QueryFilterTests {
    /// A condition as a closure, as a predicate format and in plain Swift.
    struct Case: Sendable, CustomTestStringConvertible {
        let format: String
        let arguments: @Sendable () -> [Any]
        let query: @Sendable (Query<QueryDog>) -> Query<Bool>
        let swift: @Sendable (QueryDog) -> Bool
        var testDescription: String { format }

        init(
            _ format: String, _ arguments: @autoclosure @escaping @Sendable () -> [Any],
            _ query: @escaping @Sendable (Query<QueryDog>) -> Query<Bool>,
            _ swift: @escaping @Sendable (QueryDog) -> Bool
        ) {
            self.format = format
            self.arguments = arguments
            self.query = query
            self.swift = swift
        }
    }

    static let date = Date(timeIntervalSince1970: 100)

    static let cases: [Case] = {
        // One by one: the compiler takes too long over one long array.
        var cases: [Case] = []
        cases.append(Case("(age == %@)", [2], { $0.age == 2 }, { $0.age == 2 }))
        cases.append(Case("(age != %@)", [2], { $0.age != 2 }, { $0.age != 2 }))
        cases.append(Case("(age < %@)", [2], { $0.age < 2 }, { $0.age < 2 }))
        cases.append(Case("(age <= %@)", [2], { $0.age <= 2 }, { $0.age <= 2 }))
        cases.append(Case("(age > %@)", [2], { $0.age > 2 }, { $0.age > 2 }))
        cases.append(Case("(age >= %@)", [2], { $0.age >= 2 }, { $0.age >= 2 }))
        cases.append(Case("(weight > %@)", [2.5], { $0.weight > 2.5 }, { $0.weight > 2.5 }))
        cases.append(Case("(rate <= %@)", [Float(0.25)], { $0.rate <= 0.25 }, { $0.rate <= 0.25 }))
        cases.append(Case("(worth == %@)", [Decimal128(1)], { $0.worth == 1 }, { $0.worth == 1 }))
        cases.append(Case("(worth >= %@)", [Decimal128(1)], { $0.worth >= 1 }, { $0.worth >= 1 }))
        cases.append(Case("(born >= %@)", [date], { $0.born >= date }, { $0.born >= date }))
        cases.append(Case("(narrow == %@)", [Int8(2)], { $0.narrow == 2 }, { $0.narrow == 2 }))
        cases.append(
            Case("(photo == %@)", [Data([1, 7])], { $0.photo == Data([1, 7]) }, { $0.photo == Data([1, 7]) }))
        cases.append(
            Case("(photo BEGINSWITH %@)", [Data([1])], { $0.photo.starts(with: Data([1])) }, { $0.photo.first == 1 }))
        cases.append(Case("(size == %@)", [2], { $0.size == .medium }, { $0.size == .medium }))
        cases.append(Case("(size > %@)", [1], { $0.size > .small }, { $0.size > .small }))
        cases.append(Case("(size == %@)", [3], { $0.size.rawValue == 3 }, { $0.size == .large }))
        cases.append(Case("(code == %@)", ["c1"], { $0.code == QueryCode(text: "c1") }, { $0.code.text == "c1" }))
        cases.append(
            Case("(code ENDSWITH %@)", ["1"], { $0.code.persistableValue.ends(with: "1") }, { $0.code.text == "c1" }))
        cases.append(Case("alive == true", [], { $0.alive }, { $0.alive }))
        cases.append(Case("alive == false", [], { !$0.alive }, { !$0.alive }))
        cases.append(Case("(alive == %@)", [false], { $0.alive == false }, { !$0.alive }))
        cases.append(Case("(nick == %@)", [NSNull()], { $0.nick == nil }, { $0.nick == nil }))
        cases.append(Case("(nick != %@)", [NSNull()], { $0.nick != nil }, { $0.nick != nil }))
        cases.append(Case("(nick != %@)", ["n1"], { $0.nick != "n1" }, { $0.nick != "n1" }))
        cases.append(Case("(optAge < %@)", [2], { $0.optAge < 2 }, { $0.optAge.map { $0 < 2 } ?? false }))
        cases.append(Case("(optAge == %@)", [NSNull()], { $0.optAge == nil }, { $0.optAge == nil }))
        cases.append(Case("(NOT optAge < %@)", [2], { !($0.optAge < 2) }, { !($0.optAge.map { $0 < 2 } ?? false) }))
        cases.append(Case("(optSize == %@)", [1], { $0.optSize == .small }, { $0.optSize == .small }))
        cases.append(
            Case("(optBorn > %@)", [Date(timeIntervalSince1970: 0)], { $0.optBorn > Date(timeIntervalSince1970: 0) }) {
                $0.optBorn.map { $0 > Date(timeIntervalSince1970: 0) } ?? false
            })
        cases.append(Case("(age IN %@)", [[1, 3]], { $0.age.in([1, 3]) }, { [1, 3].contains($0.age) }))
        cases.append(
            Case("(age BETWEEN {%@, %@})", [1, 2], { $0.age.contains(1...2) }, { (1...2).contains($0.age) }))
        cases.append(
            Case("((age >= %@) && (age < %@))", [1, 3], { $0.age.contains(1..<3) }, { (1..<3).contains($0.age) }))
        cases.append(
            Case("(optAge BETWEEN {%@, %@})", [1, 2], { $0.optAge.contains(1...2) }) {
                $0.optAge.map { (1...2).contains($0) } ?? false
            })
        cases.append(Case("(name CONTAINS %@)", ["e"], { $0.name.contains("e") }, { $0.name.contains("e") }))
        cases.append(Case("(name CONTAINS %@)", [""], { $0.name.contains("") }, { _ in false }))
        cases.append(
            Case("(name BEGINSWITH[c] %@)", ["r"], { $0.name.starts(with: "r", options: .caseInsensitive) }) {
                $0.name.lowercased().hasPrefix("r")
            })
        cases.append(Case("(name ENDSWITH %@)", ["x"], { $0.name.ends(with: "x") }, { $0.name.hasSuffix("x") }))
        cases.append(
            Case("(name ==[c] %@)", ["REX"], { $0.name.equals("REX", options: .caseInsensitive) }) {
                $0.name.lowercased() == "rex"
            })
        cases.append(
            Case("(name !=[c] %@)", ["REX"], { $0.name.notEquals("REX", options: [.caseInsensitive]) }) {
                $0.name.lowercased() != "rex"
            })
        cases.append(
            Case(
                "(name BEGINSWITH[cd] %@)", ["al"],
                { $0.name.starts(with: "al", options: [.caseInsensitive, .diacriticInsensitive]) },
                { $0.name == "Álmos" }))
        cases.append(
            Case("(name LIKE %@)", ["?ex"], { $0.name.like("?ex") }, { $0.name.count == 3 && $0.name.hasSuffix("ex") }))
        cases.append(
            Case("(name LIKE[c] %@)", ["R*"], { $0.name.like("R*", caseInsensitive: true) }) {
                $0.name.lowercased().hasPrefix("r")
            })
        cases.append(Case("(age == optAge)", [], { $0.optAge == $0.optAge && $0.age == $0.age }) { _ in true })
        cases.append(
            Case("(any == %@)", [AnyRealmValue.int(1)], { $0.any == .int(1) }) {
                $0.any == .int(1) || $0.any == .double(1)
            })
        cases.append(
            Case("(any == %@)", [AnyRealmValue.none], { $0.any == AnyRealmValue.none }, { $0.any == .none }))
        cases.append(
            Case("(any[%K] == %@)", ["#any", AnyRealmValue.int(1)], { $0.any.any == .int(1) }) { _ in false })
        cases.append(
            Case("((age == %@) && (alive == %@))", [2, true], { $0.age == 2 && $0.alive == true }) {
                $0.age == 2 && $0.alive
            })
        cases.append(
            Case("((age == %@) || alive == true)", [1], { $0.age == 1 || $0.alive }) { $0.age == 1 || $0.alive })
        cases.append(
            Case("NOT ((age == %@) || alive == true)", [1], { !($0.age == 1 || $0.alive) }) {
                !($0.age == 1 || $0.alive)
            })
        cases.append(Case("(owner.name == %@)", ["Ann"], { $0.owner.name == "Ann" }, { $0.owner?.name == "Ann" }))
        cases.append(Case("(owner == %@)", [NSNull()], { $0.owner == nil }, { $0.owner == nil }))
        cases.append(
            Case("(ANY owner.dogs.age > %@)", [2], { $0.owner.dogs.age > 2 }) {
                $0.owner?.dogs.contains { $0.age > 2 } ?? false
            })
        cases.append(Case("(scores.@count == %@)", [2], { $0.scores.count == 2 }, { $0.scores.count == 2 }))
        cases.append(Case("(%@ IN scores)", [2], { $0.scores.contains(2) }, { Array($0.scores).contains(2) }))
        cases.append(Case("(ANY scores > %@)", [2], { $0.scores > 2 }, { $0.scores.contains { $0 > 2 } }))
        cases.append(
            Case("(ANY scores IN %@)", [[0, 4]], { $0.scores.containsAny(in: [0, 4]) }) {
                $0.scores.contains { [0, 4].contains($0) }
            })
        cases.append(Case("(scores.@min == %@)", [1], { $0.scores.min == 1 }, { Array($0.scores).min() == 1 }))
        cases.append(
            Case(
                "(scores.@max >= %@)", [3], { $0.scores.max >= 3 }, { Array($0.scores).max().map { $0 >= 3 } ?? false })
        )
        cases.append(
            Case("(scores.@avg > %@)", [2], { $0.scores.avg > 2 }) {
                !$0.scores.isEmpty && Array($0.scores).reduce(0, +) > 2 * $0.scores.count
            })
        cases.append(Case("(scores.@sum > %@)", [2], { $0.scores.sum > 2 }, { Array($0.scores).reduce(0, +) > 2 }))
        cases.append(
            Case("((scores.@min >= %@) && (scores.@max <= %@))", [1, 3], { $0.scores.contains(1...3) }) {
                !$0.scores.isEmpty && $0.scores.allSatisfy { (1...3).contains($0) }
            })
        cases.append(
            Case("(%@ IN words)", ["blue"], { $0.words.contains("blue") }, { Array($0.words).contains("blue") }))
        cases.append(
            Case("(%@ IN optScores)", [NSNull()], { $0.optScores.contains(nil) }, { Array($0.optScores).contains(nil) })
        )
        return cases
    }()

    @Test(
        """
        where(_:) Query.{==,!=,<,<=,>,>=,&&,||,!,in(_:),contains(ClosedRange),contains(Range),Bool} \
        Query.{contains(_:options:),starts(with:options:),ends(with:options:),like(_:caseInsensitive:)} \
        Query.{equals(_:options:),notEquals(_:options:),count,min,max,sum,avg,contains(element),containsAny(in:),ANY} \
        Query.{rawValue,persistableValue,subscript(dynamicMember:)} _constructPredicate() \
        StringOptions.{caseInsensitive,diacriticInsensitive} each operator in a closure means what its predicate \
        format means, and what plain Swift says
        """,
        arguments: cases.indices)
    func operators(_ index: Int) throws {
        let one = Self.cases[index]
        let realm = try QueryWorld.filled(24)
        let wanted = Array(realm.objects(QueryDog.self)).filter { one.swift($0) }.map(\.id)
        let closure = realm.objects(QueryDog.self).where { one.query($0) }
        #expect(Array(closure.map(\.id)) == wanted)
        let (text, arguments) = one.query(Query<QueryDog>.probe)._constructPredicate()
        if one.format != "(age == optAge)" {
            #expect(text == one.format)
            #expect(arguments.map { "\($0)" } == one.arguments().map { "\($0)" })
        }
        let format = realm.objects(QueryDog.self).filter(NSPredicate(format: text, argumentArray: arguments))
        #expect(Array(format.map(\.id)) == wanted)
        // The first position, from the beginning.
        #expect(
            realm.objects(QueryDog.self).index(matching: NSPredicate(format: text, argumentArray: arguments))
                == wanted.first)
    }

    @Test("Query.subquery subqueries ask for one element of which all is true")
    func subqueries() throws {
        let realm = try QueryWorld.filled(12)
        let found = realm.objects(QueryPerson.self).where { ($0.dogs.age > 1 && $0.dogs.alive == true).count > 0 }
        #expect(Array(found.map(\.name)) == ["Ann"])
        let query = (Query<QueryPerson>.probe.dogs.age > 1 && Query<QueryPerson>.probe.dogs.alive == true).count > 0
        let (text, arguments) = query._constructPredicate()
        #expect(text == "(SUBQUERY(dogs, $col1, (($col1.age > %@) && ($col1.alive == %@))).@count > %@)")
        #expect(arguments.map { "\($0)" } == ["1", "true", "0"])
        let byAggregate = realm.objects(QueryPerson.self).where { $0.dogs.age.max > 1 }
        #expect(Array(byAggregate.map(\.name)) == ["Ann"])
        #expect((Query<QueryPerson>.probe.dogs.age.max > 1)._constructPredicate().0 == "(dogs.@max.age > %@)")
        #expect(realm.objects(QueryPerson.self).where { $0.owned.count > 2 }.count == 2)
    }

    @Test("Query.restrictions what a query cannot say")
    func refusals() async {
        #expect(
            await exception {
                let realm = try QueryWorld.realm()
                _ = realm.objects(QueryPerson.self).where { $0.dogs.age == $0.owned.age }
            } == "Comparing two collection columns is not permitted.")
        #expect(
            await exception {
                let realm = try QueryWorld.realm()
                _ = realm.objects(QueryDog.self).where { ($0.age > 3).count > 1 }
            } == "Subqueries must contain a keypath starting with a collection.")
        #expect(
            await exception {
                let realm = try QueryWorld.realm()
                _ = realm.objects(QueryPerson.self).where { ($0.dogs.age > 3 && $0.owned.age > 3).count > 1 }
            } == "Subquery predicates will only work on one collection at a time.")
    }

    @Test("Query.geoWithin(_:) regions: points within boxes, circles and polygons")
    func regions() throws {
        let realm = try QueryWorld.filled(4)
        let people = realm.objects(QueryPerson.self)
        let box = try #require(GeoBox(bottomLeft: (5, 15), topRight: (15, 25)))
        let circle = try #require(GeoCircle(center: (50, 8), radiusInRadians: 0.01))
        let polygon = try #require(
            GeoPolygon(outerRing: [(0, 0), (60, 0), (60, 40), (0, 40), (0, 0)], holes: [[(Double, Double)]]()))
        #expect(Array(people.where { $0.home.geoWithin(box) }.map(\.name)) == ["Ann"])
        #expect(Array(people.where { $0.home.geoWithin(circle) }.map(\.name)) == ["Bob"])
        #expect(Array(people.filter("home IN %@", polygon).map(\.name)) == ["Ann", "Bob"])
        #expect(GeoPoint(latitude: 91, longitude: 0) == nil && GeoPoint(latitude: 0, longitude: 181) == nil)
        #expect(GeoPolygon(outerRing: [(0, 0), (1, 1), (0, 0)], holes: [[(Double, Double)]]()) == nil)
        #expect(Distance.kilometers(-1) == nil)
        let far = try #require(Distance.kilometers(6378.1))
        #expect(abs(far.radians - 1) < 1e-9)
    }

    @Test("arguments of all kinds")
    func arguments() throws {
        let realm = try QueryWorld.filled(12)
        let dogs = realm.objects(QueryDog.self)
        let ann = try #require(realm.objects(QueryPerson.self).first)
        let nothing: Int? = nil
        #expect(dogs.filter("optAge == %@", nothing as Any).count == 4)
        #expect(dogs.filter("optAge == nil").count == 4)
        #expect(dogs.filter("owner == %@", ann).allSatisfy { $0.owner?.name == "Ann" })
        #expect(dogs.filter("owner == %@", QueryPerson()).isEmpty)
        #expect(dogs.filter("owner IN %@", realm.objects(QueryPerson.self)).count == 9)
        #expect(dogs.filter("age IN %@", Set([1, 2])).count == 6)
        #expect(dogs.filter("age IN {%@, %@}", 1, 2).count == 6)
        #expect(dogs.filter("age BETWEEN %@", [1, 2]).count == 6)
        #expect(dogs.filter("size == %@", QuerySize.large).count == 4)
        #expect(dogs.filter("code == %@", QueryCode(text: "c1")).count == 4)
        #expect(dogs.filter("%K == %@ AND age == %d", "alive", true, 2).count == 3)
        #expect(dogs.filter("%@ IN words", "green").count == 3)
        #expect(realm.objects(QueryPerson.self).filter("ANY dogs == %@", dogs[0]).count == 1)
        #expect(dogs.filter("age == %@", NSNumber(value: 2)).count == 3)
    }

    @Test("predicates of Foundation: formats, compounds, constants; blocks are refused")
    func predicates() async throws {
        let realm = try QueryWorld.filled(12)
        let dogs = realm.objects(QueryDog.self)
        let young = NSPredicate(format: "age < %@", 2)
        let alive = RealmPredicate(format: "alive == true")
        #expect(dogs.filter(young).count == 6)
        #expect(dogs.filter(NSCompoundPredicate(andPredicateWithSubpredicates: [young, alive])).count == 3)
        #expect(dogs.filter(NSCompoundPredicate(orPredicateWithSubpredicates: [young, alive])).count == 9)
        #expect(dogs.filter(NSCompoundPredicate(notPredicateWithSubpredicate: young)).count == 6)
        #expect(dogs.filter(NSPredicate(value: true)).count == 12)
        #expect(dogs.filter(NSPredicate(value: false)).isEmpty)
        #expect(dogs.filter(NSCompoundPredicate(orPredicateWithSubpredicates: [])).isEmpty)
        #expect(
            await exception {
                let realm = try QueryWorld.realm()
                _ = realm.objects(QueryDog.self).filter(NSPredicate { _, _ in true })
            } == "Predicates with block-based expressions are not supported in Realm queries.")
        #expect(
            await exception { _ = NSPredicate(format: "age < 3").evaluate(with: 3) }
                == "Predicates made from a format string can only be used with collections of a Realm.")
    }

    @Test("predicates of Swift become queries")
    func macroPredicates() throws {
        let realm = try QueryWorld.filled(24)
        let dogs = realm.objects(QueryDog.self)
        func check(_ predicate: Predicate<QueryDog>, _ swift: (QueryDog) -> Bool) {
            #expect(Array(dogs.filter(predicate).map(\.id)) == Array(dogs).filter(swift).map(\.id))
        }
        let two = 2
        check(#Predicate { $0.age > two }) { $0.age > 2 }
        check(#Predicate { $0.age == 2 && $0.alive }) { $0.age == 2 && $0.alive }
        check(#Predicate { $0.age == 2 || !$0.alive }) { $0.age == 2 || !$0.alive }
        check(#Predicate { $0.name.contains("e") }) { $0.name.contains("e") }
        check(#Predicate { $0.name.starts(with: "R") }) { $0.name.hasPrefix("R") }
        check(#Predicate { $0.nick == nil }) { $0.nick == nil }
        check(#Predicate { $0.owner?.name == "Ann" }) { $0.owner?.name == "Ann" }
        check(#Predicate { $0.scores.count > 1 }) { $0.scores.count > 1 }
        check(#Predicate { $0.scores.isEmpty }) { $0.scores.isEmpty }
        check(#Predicate { $0.scores.contains(2) }) { Array($0.scores).contains(2) }
        let ages = [1, 3]
        check(#Predicate { ages.contains($0.age) }) { [1, 3].contains($0.age) }
        check(#Predicate { (1...2).contains($0.age) }) { (1...2).contains($0.age) }
        let people = realm.objects(QueryPerson.self)
        #expect(
            people.filter(#Predicate<QueryPerson> { $0.dogs.contains { $0.age > 1 } }).count
                == Array(people).filter { $0.dogs.contains { $0.age > 1 } }.count)
        #expect(
            people.filter(#Predicate<QueryPerson> { $0.dogs.allSatisfy { $0.age < 3 } }).count
                == Array(people).filter { $0.dogs.allSatisfy { $0.age < 3 } }.count)
    }

    @Test("the first position that satisfies a condition, in the results' order")
    func positions() throws {
        let realm = try QueryWorld.filled(12)
        let sorted = realm.objects(QueryDog.self).sorted(byKeyPath: "age", ascending: false)
        let ages = Array(sorted.map(\.age))
        #expect(sorted.index(matching: "age == %@", 1) == ages.firstIndex(of: 1))
        #expect(sorted.index(matching: NSPredicate(format: "age == 0")) == ages.firstIndex(of: 0))
        #expect(sorted.index(matching: { $0.age == 7 }) == nil)
        let ann = try #require(realm.objects(QueryPerson.self).first)
        let inList = ann.dogs.index(matching: "id == %@", ann.dogs[2].id)
        #expect(inList == 2)
        #expect(Array(ann.dogs.filter("age == 0").map(\.id)) == Array(ann.dogs).filter { $0.age == 0 }.map(\.id))
    }

    @Test(
        "conditions that fit no class, and collections that cannot be filtered",
        arguments: [
            ("agee == 3", "Property 'agee' not found in object of type 'QueryDog'"),
            ("age == 'x'", "Cannot compare value 'x' of type 'string' to property 'age' of type 'int'"),
            ("owner.dogs.age == 3", "Key paths that include a collection property must use aggregate operations"),
            ("age.x == 1", "Property 'age' is not a link in object of type 'QueryDog'"),
            ("owner.nope == 1", "Property 'nope' not found in object of type 'QueryPerson'"),
            ("age == age2", "Property 'age2' not found in object of type 'QueryDog'"),
            ("alive > true", "Operator '>' not supported for bool type"),
        ])
    func refusedFormats(_ format: String, _ message: String) async {
        #expect(
            await exception { _ = try QueryWorld.realm().objects(QueryDog.self).filter(format) } == message)
    }

    @Test("texts that are not predicates or do not fit values, unmanaged collections, objects from elsewhere")
    func misuse() async {
        #expect(
            await exception { _ = try QueryWorld.realm().objects(QueryDog.self).filter("age ==") }?
                .hasPrefix("Unable to parse the format string \"age ==\"") == true)
        #expect(
            await exception { _ = try QueryWorld.filled(3).objects(QueryDog.self)[2].scores.filter("age == 3") }?
                .hasPrefix("'QueryDog.scores' holds values") == true)
        #expect(
            await exception { _ = QueryPerson().dogs.filter("age == 3") }
                == "This method may only be called on RLMArray instances retrieved from an RLMRealm")
        #expect(
            await exception {
                let (a, b) = (try QueryWorld.filled(3), try QueryWorld.filled(3))
                _ = a.objects(QueryDog.self).filter("owner == %@", b.objects(QueryPerson.self)[0])
            } == "Object must be from the Realm being queried")
    }
}

extension Query {
    /// The parameter of a `where` closure, for use outside of one.
    static var probe: Query { Query() }
}
