import QuerySyntax
import ObjectModel
import QueryLanguage
import Testing

@Suite("Objects in queries")
struct ObjectConstantTests {
    private let rex = ObjectConstants.Element.object(objectClass("Dog").id, primaryKey: .string("rex"))

    @Test("an object with a primary key is looked up later, one without is its reference, null is not an object")
    func constants() throws {
        #expect(
            try bind("dog == obj('Dog', 'rex')").predicate
                == comparison(.path(path("dog")), .equal, .objects(ObjectConstants([rex], isList: false))))
        #expect(try bind("dog == null").predicate == comparison(.path(path("dog")), .equal, .constant(.null)))
        #expect(
            try bind("toy == obj('Toy', 7)", "Dog").predicate
                == comparison(
                    .path(path("toy", "Dog")), .equal,
                    .constant(.reference(ObjectReference(objectClass("Toy").id, ObjectKey(7))))))
        #expect(
            try bind("dog IN {null, obj('Dog', 'rex')}").predicate
                == comparison(
                    .path(path("dog")), .equal, .objects(ObjectConstants([.value(.null), rex], isList: true))))
        // Dogs have names that cannot be null, so that no dog matches.
        #expect(
            try bind("dog == obj('Dog', null)").predicate
                == comparison(
                    .path(path("dog")), .equal,
                    .constant(.reference(ObjectReference(objectClass("Dog").id, ObjectKey(-1))))))
    }

    @Test("an argument identifies an object by class and key, by its reference, or by its key alone")
    func arguments() throws {
        let arguments: [QueryArgument] = [
            .object(className: "Dog", primaryKey: .string("rex")), .value(.string("rex")),
            .elements([.value(.null), .object(className: "Dog", primaryKey: .string("rex"))]),
            .value(.reference(ObjectReference(objectClass("Dog").id, ObjectKey(3)))),
            .value(.reference(ObjectReference(objectClass("Toy").id, ObjectKey(3)))),
        ]
        func predicate(_ text: String) throws -> BoundPredicate { try bind(text, "Person", arguments).predicate }
        #expect(try predicate("dog == $0") == (try predicate("dog == obj('Dog', 'rex')")))
        #expect(try predicate("dog == $1") == (try predicate("dog == $0")))
        #expect(try predicate("dog IN $2") == (try predicate("dog IN {null, obj('Dog', 'rex')}")))
        #expect(
            try predicate("dog == $3")
                == comparison(
                    .path(path("dog")), .equal,
                    .constant(.reference(ObjectReference(objectClass("Dog").id, ObjectKey(3))))))
        #expect(
            fault("dog == $4", "Person", arguments)?.message
                == "The relationship which links to type 'Dog' cannot be compared to an argument of type 'Toy'")
        #expect(fault("dog == 'rex'")?.code == .typeMismatch)
    }

    @Test("a mixed value is compared with objects of any class, and with links")
    func mixed() throws {
        #expect(
            try bind("any == obj('Dog', 'rex')").predicate
                == comparison(.path(path("any")), .equal, .objects(ObjectConstants([rex], isList: false))))
        #expect(try bind("any != dog").predicate == comparison(.path(path("any")), .notEqual, .path(path("dog"))))
        #expect(fault("any > obj('Dog', 'rex')")?.code == .typeMismatch)
        #expect(fault("any == obj('Cat', 'tom')")?.code == .unknownClass)
    }

    @Test("links to a class, and collections of them, are compared with each other")
    func links() throws {
        #expect(
            try bind("dog IN dogs").predicate == comparison(.path(path("dog")), .equal, .path(path("dogs"))))
        #expect(
            try bind("dogs == {obj('Dog', 'rex')}").predicate
                == comparison(
                    .path(path("dogs")), .equal, .objects(ObjectConstants([rex], isList: true)), isElementwise: true))
        #expect(fault("dog == friend")?.code == .typeMismatch)
        #expect(fault("dogs == null")?.message == "Cannot compare linklist ('dogs') with NULL")
        #expect(fault("dogs IN {null}")?.message == "Cannot compare linklist ('dogs') with NULL")
        #expect(
            fault("dog > null")?.message
                == "Unsupported operator > in query. Only equal (==) and not equal (!=) are supported for this type.")
    }

    @Test("the primary key must be of the class's type")
    func keys() {
        #expect(
            fault("dog == obj('Dog', 5)")?.message
                == "The primary key of class 'Dog' is of type 'string', not 'int'.")
        #expect(fault("toy == obj('Toy', 'x')", "Dog")?.code == .typeMismatch)
        #expect(fault("friend == obj('Person', oid(507f1f77bcf86cd799439011))") == nil)
    }

    @Test("a Bool is not a primary key, also where it is the number 1", arguments: [QueryDialect.rql, .format])
    func booleanKeys(_ dialect: QueryDialect) throws {
        let schema = Schema(
            version: 1,
            classes: [
                ClassSchema(
                    "Page", primaryKey: "id",
                    properties: [
                        PropertySchema("id", PropertyType(.int)), PropertySchema("on", PropertyType(.bool)),
                        PropertySchema("next", PropertyType(.link("Page"), isOptional: true)),
                        PropertySchema("any", PropertyType(.mixed, isOptional: true)),
                    ])
            ])
        let page = try #require(schema["Page"])
        func code(_ text: String) -> QueryError.Code? {
            do throws(QueryError) {
                _ = try QueryBinder(schema: schema).bind(text, class: page, dialect: dialect)
                return nil
            } catch {
                return error.code
            }
        }
        #expect(code("next == obj('Page', 1) AND any == obj('Page', 0) AND on == TRUE") == nil)
        #expect(code("id == TRUE") == (dialect == .format ? nil : .typeMismatch))
        for text in [
            "next == obj('Page', TRUE)", "next != obj('Page', FALSE)", "any == obj('Page', TRUE)",
            "next IN {obj('Page', 1), obj('Page', FALSE)}",
        ] {
            #expect(code(text) == .typeMismatch, "\(text)")
        }
    }

    @Test("objects by primary keys are looked up at a version")
    func naming() throws {
        let query = try bind(
            "dog IN {null, obj('Dog', 'rex'), obj('Dog', 'tom')} AND SUBQUERY(dogs, $d, ANY $d.owner.dog == obj('Dog', 'rex')).@count > 0"
        )
        var asked: [Value] = []
        let named = query.namingObjects { _, key in
            asked.append(key)
            return key == .string("rex") ? ObjectKey(5) : nil
        }
        let dog = objectClass("Dog").id
        #expect(asked.count == 3)
        guard case .and(let parts) = named.predicate else {
            Issue.record("not an AND")
            return
        }
        #expect(
            parts[0]
                == comparison(
                    .path(path("dog")), .equal,
                    .list([
                        .null, .reference(ObjectReference(dog, ObjectKey(5))),
                        .reference(ObjectReference(dog, ObjectKey(-1))),
                    ])))
    }
}
