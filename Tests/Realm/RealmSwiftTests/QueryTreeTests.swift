import Foundation
import ObjectModel
import QuerySyntax
import QueryLanguage
@testable import RealmSwift
import Testing

/// Conditions of closures are bound from a tree, without the text that `_constructPredicate` gives. Both mean the same.
@Suite("Query trees")
struct QueryTreeTests {
    /// The condition bound from its tree and from its text; nil where that fails.
    private func bound<T: Object>(
        _ type: T.Type, _ realm: Realm, _ node: QueryNode
    ) throws -> (tree: BoundPredicate?, text: BoundPredicate?) {
        let schema = realm.rlm.models.schema
        let objectClass = try #require(schema[type.className()])
        let tree = try QueryTree(node)
        let values = try ArgumentReader(realm: realm.rlm).arguments(tree.arguments)
        let text = PredicateForm.format(tree.format, tree.arguments)
        return (
            try? tree.bound(to: objectClass, by: QueryBinder(schema: schema), values),
            try? text.bound(to: objectClass, in: realm.rlm)
        )
    }

    /// Returns whether the condition has a meaning.
    @discardableResult
    private func check<T: Object>(
        _ type: T.Type, _ realm: Realm, _ node: QueryNode, fails: Bool? = nil
    ) throws -> Bool {
        let (tree, text) = try bound(type, realm, node)
        if tree != text { Issue.record("'\(try QueryTree(node).format)': \(String(describing: tree))") }
        if let fails {
            let format = try QueryTree(node).format
            #expect((tree == nil) == fails, "\(format)")
        }
        return tree != nil
    }

    @Test("conditions of all forms", arguments: QueryFilterTests.cases.indices)
    func filters(_ index: Int) throws {
        let query = QueryFilterTests.cases[index].query(Query<QueryDog>())
        try check(QueryDog.self, try QueryWorld.realm(), query.node, fails: false)
        try check(QueryDog.self, try QueryWorld.realm(), (!query).node, fails: false)
    }

    @Test("conditions on maps, mixed values, columns and links", arguments: QueryDeclarations.cases)
    func declarations(_ one: QueryDeclarations.Case) throws {
        let realm = try Realm(configuration: QueryDeclarations.memory())
        try check(ProofAsked.self, realm, one.query(Query<ProofAsked>()).node, fails: false)
    }

    /// A constant of each type.
    private static var constants: [Any] {
        [
            true, 2, 2.5, Float(0.25), 1 as RealmSwift.Decimal128, "text", Data([1, 7]),
            Date(timeIntervalSince1970: 100), RealmSwift.ObjectId.generate(), UUID(), NSNull(), AnyRealmValue.int(1),
            [1, 2], ["a"], [NSNull()],
        ]
    }

    private static let single = [
        "id", "name", "age", "weight", "rate", "worth", "alive", "born", "tag", "chip", "photo", "size", "code",
        "narrow",
        "any", "nick", "optAge", "optWeight", "optBorn", "optSize", "owner",
    ]
    private static let collections = ["scores", "words", "times", "optScores"]

    /// A path to each property of a dog.
    private static var paths: [QueryNode] {
        (single + collections).map { name in
            .path(QueryPath(components: [.property(name, isCollection: collections.contains(name))]))
        }
    }

    @Test("every operator with every type of property and constant", arguments: ComparisonOperator.allCases)
    func operators(_ comparison: ComparisonOperator) throws {
        let realm = try QueryWorld.realm()
        var bindings = 0
        for path in Self.paths {
            for options in [[], .caseInsensitive, [.caseInsensitive, .diacriticInsensitive]] as [StringOptions] {
                for constant in Self.constants {
                    for node in [
                        QueryNode.comparison(path, comparison, .value(constant), options),
                        .comparison(.value(constant), comparison, path, options),
                    ] {
                        bindings += try check(QueryDog.self, realm, node) ? 1 : 0
                    }
                }
            }
        }
        #expect(bindings > 10, "the conditions that have a meaning")
    }

    @Test("IN, BETWEEN and arithmetic with every type of property and constant")
    func otherForms() throws {
        let realm = try QueryWorld.realm()
        var bindings = 0
        for path in Self.paths {
            for constant in Self.constants {
                var nodes: [QueryNode] = [
                    .isIn(path, .value(constant)), .isIn(.value(constant), path), .between(path, constant, constant),
                ]
                for operation in BoundArithmetic.Operation.allCases {
                    nodes.append(.comparison(.arithmetic(path, operation, .value(constant)), .greater, .value(1)))
                    nodes.append(.comparison(path, .equal, .arithmetic(.value(constant), operation, path)))
                }
                for node in nodes {
                    bindings += try check(QueryDog.self, realm, node) ? 1 : 0
                }
            }
        }
        #expect(bindings > 50, "the conditions that have a meaning")
    }

    @Test("subqueries, aggregates, places and paths through collections")
    func collections() throws {
        let realm = try QueryWorld.filled(4)
        let ann = try #require(realm.objects(QueryPerson.self).first)
        let dog = ann.dogs[0]
        let box = try #require(GeoBox(bottomLeft: (5, 15), topRight: (15, 25)))
        let circle = try #require(GeoCircle(center: (50, 8), radiusInRadians: 0.01))
        let person = Query<QueryPerson>()
        let conditions: [Query<Bool>] = [
            (person.dogs.age > 1 && person.dogs.alive == true).count > 0,
            !((person.dogs.age > 1 || !person.dogs.alive).count == 2),
            (person.dogs.owner.dogs.age > 1).count > 0, (person.dogs.scores > 1).count > 0,
            person.dogs.age.max > 1,
            person.dogs.weight.avg >= 1.5, person.dogs.contains(dog), person.dogs == dog,
            person.dogs.age.in([1, 2]), person.owned.name.contains("B", options: .caseInsensitive),
            person.owned.count > 2, person.home.geoWithin(box), !person.home.geoWithin(circle), person.home == nil,
            person.name == "Ann" && person.home.type == "Point" || person.dogs.owner.name != "Bob",
        ]
        for condition in conditions { try check(QueryPerson.self, realm, condition.node, fails: false) }
        // A collection of values within a subquery, and a number of elements behind a collection.
        let refused = [
            ((person.dogs.scores > 1).count > 0 && person.dogs.age == 1).count > 0, person.dogs.scores.count > 1,
        ]
        for condition in refused { try check(QueryPerson.self, realm, condition.node, fails: true) }
    }

    @Test("predicates of Swift")
    func macroPredicates() throws {
        let realm = try QueryWorld.filled(4)
        let two = 2
        let ages = [1, 3]
        func dogs(_ predicate: Predicate<QueryDog>) throws {
            try check(QueryDog.self, realm, try FoundationPredicate(predicate).node(), fails: false)
        }
        try dogs(#Predicate { $0.age > two && !$0.alive })
        try dogs(#Predicate { $0.age == 2 || $0.nick == nil })
        try dogs(#Predicate { $0.owner?.name == "Ann" })
        try dogs(#Predicate { $0.scores.count > 1 })
        try dogs(#Predicate { $0.scores.contains(2) })
        try dogs(#Predicate { ages.contains($0.age) })
        try dogs(#Predicate { (1...2).contains($0.age) })
        func people(_ predicate: Predicate<QueryPerson>) throws {
            try check(QueryPerson.self, realm, try FoundationPredicate(predicate).node(), fails: false)
        }
        try people(#Predicate { $0.dogs.contains { $0.age > 1 } })
        try people(#Predicate { $0.dogs.allSatisfy { $0.age < 3 } })
    }

    @Test("what has no meaning fails with the words that its text fails with")
    func failures() async throws {
        let realm = try QueryWorld.realm()
        let dog = Query<QueryDog>()
        for node in [
            QueryNode.path(QueryPath(components: [.property("age2", isCollection: false)])),
            .comparison(.path(QueryPath(components: [.property("age", isCollection: false)])), .equal, .value("x")),
            // An aggregate of an aggregate.
            (dog.scores.min.max > 1).node, (dog.owner.dogs.age.min.max > 1).node, (dog.scores.count.min == 1).node,
            (dog.any.min["x"] == .int(1)).node,
        ] {
            try check(QueryDog.self, realm, node, fails: true)
            let tree = try QueryTree(node)
            let objectClass = try #require(realm.rlm.models.schema["QueryDog"])
            let text = #expect(throws: RealmException.self) {
                try PredicateForm.format(tree.format, tree.arguments).bound(to: objectClass, in: realm.rlm)
            }
            let error = #expect(throws: RealmException.self) {
                try PredicateForm.query(node).bound(to: objectClass, in: realm.rlm)
            }
            #expect(error?.message == text?.message)
        }
    }

    @Test("conditions that are too deep, and paths that are too long")
    func limits() throws {
        let alive = Query<QueryDog>().alive
        var nested = alive
        for _ in 0..<150 { nested = nested && alive }
        try check(QueryDog.self, try QueryWorld.realm(), nested.node, fails: false)
        for _ in 0..<150 { nested = !nested }
        #expect(throws: RealmException.self) { try QueryTree(nested.node) }
        let step = QueryPath.Component.property("owner", isCollection: false)
        let long = QueryPath(components: Array(repeating: step, count: QueryParser.pathLimit + 1))
        #expect(throws: RealmException.self) {
            try QueryTree(.comparison(.path(long), .equal, .value(NSNull())))
        }
    }
}
