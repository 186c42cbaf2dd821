import AccessRules
import EmbeddedStore
import JSONCoding
import ObjectModel
import QueryLanguage
import StoreContract
import Testing

/// Checks a role's permissions to write, case by case: an allowed write succeeds, a denied one changes nothing.
@Suite("writing under rules")
struct TransactionRuleTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let rule: ClassRule
        /// Nil if the write must succeed.
        let refusal: StoreError.Code?
        let write: @Sendable (any WriteTransaction, ClassSchema) throws -> Void

        init(
            _ name: String, _ rule: ClassRule, _ refusal: StoreError.Code? = nil,
            _ write: @escaping @Sendable (any WriteTransaction, ClassSchema) throws -> Void
        ) {
            self.name = name
            self.rule = rule
            self.refusal = refusal
            self.write = write
        }

        var testDescription: String { name }
    }

    private static let ada = ObjectKey(0)
    private static let bob = ObjectKey(1)
    private static let open = "open == true"

    private static func set(_ key: ObjectKey, _ name: String, _ value: Value)
        -> @Sendable (any WriteTransaction, ClassSchema) throws -> Void
    {
        { transaction, person in try transaction.set(person.id, key, House.bound([name: value], person)) }
    }

    private static func create(_ values: [String: Value])
        -> @Sendable (any WriteTransaction, ClassSchema) throws -> Void
    {
        { transaction, person in _ = try transaction.create(person.id, House.bound(values, person)) }
    }

    private static func edit(_ key: ObjectKey, _ name: String, _ operation: CollectionOperation)
        -> @Sendable (any WriteTransaction, ClassSchema) throws -> Void
    {
        { transaction, person in
            guard let id = person[name]?.id else { throw StoreError(.unknownProperty, name) }
            _ = try transaction.edit(person.id, key, id, operation)
        }
    }

    static let cases: [Case] = [
        Case("no rule to create", ClassRule(read: open), .accessDenied, create(["id": .int(9)])),
        Case(
            "a creation that satisfies its rule", ClassRule(read: open, create: open),
            nil, create(["id": .int(9), "open": .bool(true)])),
        Case(
            "one that does not", ClassRule(read: open, create: open), .accessDenied,
            create(["id": .int(9), "open": .bool(false)])),
        Case("one that satisfies it in the end", ClassRule(read: open, create: open)) { transaction, person in
            let key = try transaction.create(person.id, House.bound(["id": .int(9)], person))
            try transaction.set(person.id, key, House.bound(["open": .bool(true)], person))
        },
        Case(
            "a primary key that somebody hidden has", ClassRule(read: open, create: "TRUEPREDICATE"), .duplicateKey,
            create(["id": .int(2)])),
        Case(
            "a link to somebody hidden", ClassRule(read: open, create: "TRUEPREDICATE"), .invalidValue,
            create(["id": .int(9), "friend": .link(bob)])),
        Case(
            "a link to somebody hidden in a list", ClassRule(read: open, create: "TRUEPREDICATE"), .invalidValue,
            create(["id": .int(9), "friends": .list([.link(ada), .link(bob)])])),
        Case(
            "a property that may not be written", ClassRule(read: open, create: open, writableProperties: ["open"]),
            .accessDenied, create(["id": .int(9), "open": .bool(true), "name": .string("x")])),
        Case(
            "its initial value", ClassRule(read: open, create: open, writableProperties: ["open"]), nil,
            create(["id": .int(9), "open": .bool(true), "name": .string("")])),
        Case("no rule to update", ClassRule(read: open), .accessDenied, set(ada, "name", .string("x"))),
        Case(
            "an update within the rule", ClassRule(read: open, update: open), nil, set(ada, "name", .string("x"))),
        Case(
            "one that leaves it", ClassRule(read: open, update: open), .accessDenied, set(ada, "open", .bool(false))),
        Case(
            "one of an object outside the rule", ClassRule(read: "TRUEPREDICATE", update: open), .accessDenied,
            set(bob, "open", .bool(true))),
        Case("one of a hidden object", ClassRule(read: open, update: open), .notFound, set(bob, "open", .bool(true))),
        Case(
            "one of a property that may not be written",
            ClassRule(read: open, update: open, writableProperties: ["name"]), .accessDenied,
            set(ada, "secret", .string("x"))),
        Case(
            "one of a property that is not there", ClassRule(read: open, update: open, readableProperties: ["name"]),
            .unknownProperty, set(ada, "secret", .string("x"))),
        Case(
            "one of a property that may be written and not read",
            ClassRule(read: open, update: open, readableProperties: ["name"], writableProperties: ["secret"]), nil,
            set(ada, "secret", .string("x"))),
        Case(
            "a link to somebody hidden, by an update", ClassRule(read: open, update: open), .invalidValue,
            set(ada, "friend", .link(bob))),
        Case(
            "adding somebody hidden", ClassRule(read: open, update: open), .invalidValue,
            edit(ada, "friends", .append(.link(bob)))),
        Case(
            "appending to a list without a rule", ClassRule(read: open), .accessDenied,
            edit(ada, "tags", .append(.string("x")))),
        Case(
            "appending to a list", ClassRule(read: open, update: open), nil, edit(ada, "tags", .append(.string("x")))),
        Case("no rule to delete", ClassRule(read: open), .accessDenied) { try $0.delete($1.id, ada) },
        Case("a deletion within the rule", ClassRule(read: open, delete: open)) { try $0.delete($1.id, ada) },
        Case("one outside of it", ClassRule(read: "TRUEPREDICATE", delete: open), .accessDenied) {
            try $0.delete($1.id, bob)
        },
        Case("one of a hidden object", ClassRule(read: open, delete: open), .notFound) { try $0.delete($1.id, bob) },
        Case(
            "an embedded object without leave to update its owner", ClassRule(read: open), .accessDenied,
            set(ada, "home", .embedded([PropertyID(1): .string("x")]))),
        Case(
            "an embedded object", ClassRule(read: open, update: open), nil,
            set(ada, "home", .embedded([PropertyID(1): .string("x")]))),
    ]

    @Test("is as the rules say", arguments: cases)
    func rule(_ test: Case) throws {
        let house = try House()
        let view = AccessView(role: Role(name: "r", classes: ["Person": test.rule]))
        let before = try house.content()
        let person = house.person
        do {
            try house.store.write { transaction in
                try view.perform(in: transaction) { try test.write($0, person) }
            }
            #expect(test.refusal == nil)
            #expect(try house.content() != before)
        } catch let error as StoreError {
            #expect(error.code == test.refusal, "\(error)")
            #expect(try house.content() == before)
        }
    }

    @Test("a list with hidden elements takes what does not speak of them")
    func hiddenElements() throws {
        let house = try House()
        let person = house.person
        let friends = try house.id("Person", "friends")
        let pals = try house.id("Person", "pals")
        try house.store.write {
            let both = [Value.link(Self.bob), .link(Self.ada)]
            try $0.set(person.id, Self.ada, [friends: .list(both), pals: .set(both)])
        }
        let view = AccessView(role: Role(name: "r", classes: ["Person": ClassRule(read: Self.open, update: Self.open)]))
        func perform(_ work: @escaping @Sendable (any WriteTransaction) throws -> Void) throws {
            try house.store.write { try view.perform(in: $0, work) }
        }
        for operation in [
            .insert(.link(Self.ada), at: 0), .replace(.link(Self.ada), at: 0), .remove(at: 0), .move(from: 0, to: 0),
            .removeAll,
        ] as [CollectionOperation] {
            #expect(throws: StoreError.self, "\(operation)") {
                try perform { _ = try $0.edit(person.id, Self.ada, friends, operation) }
            }
        }
        #expect(throws: StoreError.self) { try perform { try $0.set(person.id, Self.ada, [friends: .list([])]) } }
        // A hidden object is in no set.
        try perform { transaction in
            let isChanged = try transaction.edit(person.id, Self.ada, pals, .removeElement(.link(Self.bob)))
            #expect(!isChanged)
        }
        // The visible value can be assigned unchanged, and elements can be appended.
        try perform { transaction in
            #expect(try transaction.value(person.id, Self.ada, friends) == .list([.link(Self.ada)]))
            #expect(try transaction.elementCount(person.id, Self.ada, friends) == 1)
            try transaction.set(person.id, Self.ada, [friends: .list([.link(Self.ada)])])
            _ = try transaction.edit(person.id, Self.ada, friends, .append(.link(Self.ada)))
        }
        let now = try house.store.snapshot().value(person.id, Self.ada, friends)
        #expect(now == .list([.link(Self.bob), .link(Self.ada), .link(Self.ada)]))
        #expect(
            try house.store.snapshot().value(person.id, Self.ada, pals).linkedKeys.count == 2)
    }

    @Test("a link to somebody hidden reads as null and survives being given back")
    func hiddenLink() throws {
        let house = try House()
        let (person, friend) = (house.person, try house.id("Person", "friend"))
        try house.store.write { try $0.set(person.id, Self.ada, [friend: .link(Self.bob)]) }
        let view = AccessView(role: Role(name: "r", classes: ["Person": ClassRule(read: Self.open, update: Self.open)]))
        try house.store.write { transaction in
            try view.perform(in: transaction) { transaction in
                #expect(try transaction.value(person.id, Self.ada, friend) == .null)
                #expect(try transaction.key(of: person.id, primaryKey: .int(2)) == nil)
                #expect(transaction.count(of: person.id) == 1)
                try transaction.set(person.id, Self.ada, [friend: .null])
            }
        }
        #expect(try house.store.snapshot().value(person.id, Self.ada, friend) == .link(Self.bob))
    }

    @Test(
        "claims are filled in, as what they are and as the values that they are written for; missing ones never help",
        arguments: [
            ("id == $claims.number", #"{"number": 1}"#, [1]),
            ("id IN $claims.team.ids", #"{"team": {"ids": [1, 2]}}"#, [1, 2]),
            ("name == $claims.sub", #"{"sub": "ada"}"#, [1]),
            ("name == '$claims.sub'", #"{"sub": "ada"}"#, []),
            // A comparison with a missing claim never grants access, whatever surrounds it.
            ("name == $claims.sub", "{}", []),
            ("friend.name == $claims.sub", "{}", []),
            ("friend.name == $claims.sub", #"{"sub": null}"#, []),
            ("friend.name == $claims.a.b", #"{"a": "x"}"#, []),
            ("name != $claims.sub", "{}", []),
            ("NOT name == $claims.sub", "{}", []),
            ("NOT NOT friend.name == $claims.sub", "{}", []),
            ("NOT (name == $claims.sub OR id == 1)", "{}", []),
            ("NOT (name == $claims.sub AND id == 1)", "{}", [2]),
            ("name IN $claims.names", "{}", []),
            ("NOT name IN $claims.names", "{}", []),
            ("NOT name IN {'x', $claims.sub}", "{}", []),
            ("SUBQUERY(friends, $f, $f.name == $claims.sub).@count == 0", "{}", []),
            ("NOT SUBQUERY(friends, $f, $f.name == $claims.sub).@count > 0", "{}", []),
            ("NONE friends.name == $claims.sub", "{}", []),
            ("id > $claims.least + 0", "{}", []),
            ("id BETWEEN {$claims.least, 5}", "{}", []),
            ("name == $claims.sub OR id == 2", "{}", [2]),
            // Rules can test whether a claim exists.
            ("$claims.sub == NULL", "{}", [1, 2]),
            ("NULL == $claims.sub OR name == $claims.sub", #"{"sub": "bob"}"#, [2]),
            ("$claims.sub != NULL", "{}", []),
            ("$claims.sub != nil", #"{"sub": "x"}"#, [1, 2]),
            ("NOT $claims.sub == NULL", #"{"sub": "x"}"#, [1, 2]),
            // These do not fit, and allow nothing.
            ("id == $claims.number", #"{"number": "one"}"#, []),
            ("id == $claims.number OR TRUEPREDICATE", #"{"number": {"a": 1}}"#, []),
            ("id IN $claims.ids", #"{"ids": "1"}"#, []),
            ("friend.name IN $claims.names", #"{"names": [null]}"#, []),
            ("NOT name IN $claims.names", #"{"names": ["x", null]}"#, []),
            ("nothing == 1", "{}", []),
        ] as [(String, String, [Int64])])
    func claims(_ rule: String, _ claims: String, _ visible: [Int64]) throws {
        let house = try House()
        let view = AccessView(
            role: Role(name: "r", classes: ["Person": ClassRule(read: rule)]), claims: try JSONValue.parse(claims))
        let snapshot = try view.restrict(try house.store.snapshot())
        let id = try house.id("Person", "id")
        let found = try snapshot.select(BoundQuery(classID: house.person.id), .all).map {
            try snapshot.value(house.person.id, $0, id)
        }
        #expect(found == visible.map { .int($0) })
    }

    @Test("views that differ in what no rule names are equal")
    func equalViews() throws {
        let role = Role(name: "r", classes: ["Person": ClassRule(read: "id == $claims.number AND name != '$claims.x'")])
        func view(_ claims: String) throws -> AccessView { AccessView(role: role, claims: try JSONValue.parse(claims)) }
        #expect(try view(#"{"number": 1, "x": 1, "exp": 5}"#) == view(#"{"exp": 6, "number": 1}"#))
        #expect(try view(#"{"number": 1}"#) != view(#"{"number": 2}"#))
    }

    @Test("classes without a rule are not in the schema, nor what leads to them; the primary key always is")
    func visibleSchema() throws {
        let house = try House()
        let role = Role(
            name: "r",
            classes: [
                "Person": ClassRule(read: "TRUEPREDICATE", readableProperties: ["name", "home"]),
                "Note": ClassRule(),
            ])
        let schema = try AccessView(role: role).restrict(try house.store.snapshot()).schema
        #expect(schema.classes.map(\.name) == ["Person", "Address"])
        #expect(schema["Person"]?.properties.map(\.name) == ["id", "name", "home"])
        #expect(role.problems(in: House.schema) == [])
        let faulty = Role(
            name: "f",
            classes: [
                "Person": ClassRule(read: "nme == 'x'", readableProperties: ["nam"]), "Persn": ClassRule(),
            ])
        #expect(faulty.problems(in: House.schema).count == 3)
    }
}

extension House {
    /// Returns the contents of the store.
    func content() throws -> [String: [[Value]]] {
        let snapshot = try store.snapshot()
        var content: [String: [[Value]]] = [:]
        for objectClass in snapshot.schema.classes {
            content[objectClass.name] = try snapshot.select(BoundQuery(classID: objectClass.id), .all).map { key in
                try objectClass.storedProperties.map { try snapshot.value(objectClass.id, key, $0.id) }
            }
        }
        return content
    }
}
