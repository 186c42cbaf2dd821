import ObjectModel
import QuerySyntax
import QueryLanguage
import Testing

@Suite("Key paths of requests")
struct KeyPathTests {
    private let binder = QueryBinder(schema: people)

    private func refusal<Result>(_ bind: () throws -> Result) -> String? {
        do {
            _ = try bind()
            return nil
        } catch {
            return (error as? QueryError)?.message
        }
    }

    @Test("sorting accepts exactly one value that is neither an object nor a collection")
    func sort() throws {
        let person = objectClass("Person")
        let keys = try binder.bindSort("prices['a,b'],-any.a[0], tags[0],any.@type,photo,pets.rex.age", class: person)
        #expect(
            keys == [
                SortKey(path("prices", steps: [.elements(.key("a,b"))])),
                SortKey(path("any", steps: [.elements(.key("a")), .elements(.position(0))]), ascending: false),
                SortKey(path("tags", steps: [.elements(.position(0))])),
                SortKey(path("any", steps: [.typeName])), SortKey(path("photo")),
                SortKey(element("pets", .key("rex"), "age", of: "Dog")),
            ])
        for text in [
            "tags", "dogs.age", "dog", "dogs", "dogs.@count", "name.@count", "nums.@sum", "any[*]", "prices.@keys",
            "dog.@count", "@links.@count", "name.@type", "",
        ] {
            #expect(refusal { try binder.bindSort(text, class: person) } != nil, "\(text)")
            #expect(refusal { try binder.bindPath(text, class: person) } != nil, "\(text)")
        }
        let sentences = [
            ("tags", "it is a collection, with several values for one object."),
            ("dogs.age", "it passes through a collection, with several values for one object."),
            ("nmae", "property 'Person.nmae' does not exist."),
            (
                "dog",
                "property 'Person.dog' of type 'object' cannot be the final property in the key path. Name one of its properties."
            ),
            ("age.x", "property 'Person.age' of type 'int' may only be the final property in the key path."),
            ("dogs.@count", "KVC collection operators are not supported."), ("", "missing property name."),
        ]
        for (text, reason) in sentences {
            #expect(
                refusal { try binder.bindSort(text, class: person) } == "Cannot sort on key path '\(text)': \(reason)")
        }
        do {
            _ = try binder.bindGroup("name, prices['x,y'], nmae", class: person)
            Issue.record("nmae is not a property")
        } catch {
            #expect((error.position, error.hint) == (21, "name"))
        }
        #expect(try binder.bindGroup("name,dog.age", class: person) == [path("name"), path("dog.age")])
    }

    @Test("a section function follows a complete path, and a property of its name has precedence")
    func sections() throws {
        let person = objectClass("Person")
        #expect(try binder.bindSection("name", class: person) == SectionKey(path("name")))
        #expect(try binder.bindSection("dog.name.first", class: person) == SectionKey(path("dog.name"), .first))
        #expect(try binder.bindSection("born.year", class: person) == SectionKey(path("born"), .year))
        #expect(try binder.bindSection("height.isNull", class: person) == SectionKey(path("height"), .isNull))
        #expect(
            try binder.bindSection("any.first", class: person)
                == SectionKey(path("any", steps: [.elements(.key("first"))])))
        #expect(
            try binder.bindSection("prices.first.isNull", class: person)
                == SectionKey(path("prices", steps: [.elements(.key("first"))]), .isNull))
        let calendar = Schema(
            version: 1,
            classes: [
                ClassSchema("Event", properties: [PropertySchema("on", PropertyType(.link("Day"), isOptional: true))]),
                ClassSchema("Day", properties: [PropertySchema("year", PropertyType(.int))]),
            ])
        let event = calendar["Event"] ?? person
        #expect(try QueryBinder(schema: calendar).bindSection("on.year", class: event).function == nil)
        #expect(
            refusal { try binder.bindSection("born.yaer", class: person) }
                == "'yaer' does not support sections by values of type 'timestamp'. Supported are: year, month, day, hour, weekday, isNull."
        )
        #expect(
            refusal { try binder.bindSection("name.year", class: person) }
                == "'year' does not support sections by values of type 'string'. Supported are: first, isNull.")
        #expect(refusal { try binder.bindSection("dogs.name", class: person) } != nil)
        #expect(refusal { try binder.bindSection("dog.isNull", class: person) } != nil)
    }

    @Test("the property's type decides which aggregates are allowed")
    func aggregates() throws {
        let person = objectClass("Person")
        for function in AggregateRequest.Function.allCases {
            for name in ["age", "weight", "height", "worth", "any", "dog.age", "prices.ash", "any.a"] {
                #expect(refusal { try binder.bindAggregate(function, name, class: person) } == nil, "\(name)")
            }
            for name in ["name", "alive", "id", "key", "photo", "dog", "dogs", "nums", "dogs.age", "dogs.@count"] {
                #expect(refusal { try binder.bindAggregate(function, name, class: person) } != nil, "\(name)")
            }
        }
        #expect(
            try binder.bindAggregate(.maximum, "born", class: person) == AggregateRequest(.maximum, path("born")))
        #expect(
            refusal { try binder.bindAggregate(.sum, "born", class: person) }
                == "Operation 'sum' not supported for date? property 'Person.born'")
        #expect(
            refusal { try binder.bindAggregate(.average, "nums", class: person) }
                == "Operation 'average' not supported for int list 'Person.nums'")
        #expect(
            refusal { try binder.bindAggregate(.minimum, "dog.name", class: person) }
                == "Operation 'min' not supported for string property 'Dog.name'")
        #expect(
            refusal { try binder.bindAggregate(.sum, "agee", class: person) }
                == "Invalid property name: 'Person' has no property 'agee'")
    }

    @Test(
        "the type of a path's values",
        arguments: [
            ("age", PropertyType(.int)), ("name", PropertyType(.string, isOptional: true)),
            ("dog.name", PropertyType(.string, isOptional: true)),
            ("prices.a", PropertyType(.double, isOptional: true)),
            ("tags[0]", PropertyType(.string, isOptional: true)), ("any", PropertyType(.mixed, isOptional: true)),
            ("any.a[0]", PropertyType(.mixed, isOptional: true)), ("any.@type", PropertyType(.string)),
            ("any.a.@type", PropertyType(.string, isOptional: true)),
        ])
    func valueTypes(_ text: String, _ type: PropertyType) throws {
        #expect(try binder.bindPath(text, class: objectClass("Person")).valueType == type)
    }

    @Test("the type of counts and type names")
    func derivedTypes() {
        #expect(path("dogs", count: true).valueType == PropertyType(.int))
        #expect(path("tags", steps: [.size]).valueType == PropertyType(.int))
        #expect(path("tags", steps: [.elements(.all), .length]).valueType == PropertyType(.int))
        #expect(path("name", steps: [.size]).valueType == PropertyType(.int, isOptional: true))
        #expect(path("prices", steps: [.keys]).valueType == PropertyType(.string))
        #expect(path("dogs").valueType == PropertyType(.mixed, isOptional: true))
        #expect(path("nums").valueType == PropertyType(.int))
    }
}
