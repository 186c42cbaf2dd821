import ObjectModel
import QuerySyntax
import QueryLanguage
import Testing

@Suite("Key paths")
struct PathBindingTests {
    private func left(_ text: String, _ arguments: [QueryArgument] = []) throws -> BoundOperand? {
        guard case .comparison(let comparison) = try bind(text, "Person", arguments).predicate else { return nil }
        return comparison.left
    }

    @Test("lists have positions, maps have keys, and both may be arguments")
    func selectors() throws {
        #expect(try left("tags[0] == 'x'") == .path(path("tags", steps: [.elements(.position(0))])))
        #expect(try left("tags[FIRST] == 'x'") == .path(path("tags", steps: [.elements(.position(0))])))
        #expect(try left("tags[last] == 'x'") == .path(path("tags", steps: [.elements(.last)])))
        #expect(try left("tags[*] == 'x'") == .path(path("tags")))
        #expect(
            try left("tags[$0] == 'x'", [.value(.int(4))]) == .path(path("tags", steps: [.elements(.position(4))])))
        #expect(
            try left("prices[$0] == 1", [.value(.string("a.b"))])
                == .path(path("prices", steps: [.elements(.key("a.b"))])))
        #expect(try left("tags[1].@size == 1") == .path(path("tags", steps: [.elements(.position(1)), .size])))
        #expect(try left("tags[1].length == 1") == .path(path("tags", steps: [.elements(.position(1)), .length])))
        #expect(try left("pets['rex'].name == 'x'") == .path(element("pets", .key("rex"), "name", of: "Dog")))
        // A dog has a name, so that this is not a key.
        #expect(try left("pets.name == 'x'") == .path(path("pets.name")))
        #expect(try left("pets.@keys == 'x'") == .path(keys("pets")))
        #expect(fault("tags[$0] == 'x'", "Person", [.value(.int(-1))])?.code == .argument)
        #expect(fault("tags[$0] == 'x'", "Person", [.value(.bool(true))])?.code == .argument)
        #expect(fault("tags[$0] == 'x'", "Person", [.list([.int(1)])])?.code == .argument)
        #expect(fault("tags[$1] == 'x'", "Person", [.value(.int(1))])?.code == .argument)
    }

    /// A path to the keys of a map of links.
    private func keys(_ name: String, _ step: ValueStep = .keys) -> BoundPath {
        guard let property = objectClass("Person")[name] else { return path("") }
        return BoundPath(end: .property(property.id, property.type), steps: [step])
    }

    @Test("sizes are those of collections, of texts and data, and of links")
    func sizes() throws {
        #expect(try left("nums.@count == 1") == .path(path("nums", steps: [.size])))
        #expect(try left("nums[SIZE] == 1") == .path(path("nums", steps: [.size])))
        #expect(try left("nums[*].@count == 1") == .path(path("nums", steps: [.size])))
        #expect(try left("prices.@keys.@count == 1") == .path(path("prices", steps: [.size])))
        #expect(try left("dogs.@size == 1") == .path(path("dogs", count: true)))
        #expect(try left("dogs[SIZE] == 1") == .path(path("dogs", count: true)))
        #expect(try left("dogs.toys.@count == 1") == .path(path("dogs.toys", count: true)))
        #expect(try left("dog.@count == 1") == .path(path("dog", count: true)))
        #expect(try left("pets.@count == 1") == .path(keys("pets", .size)))
        #expect(try left("dogs.name.@count == 1") == .path(path("dogs.name", steps: [.size])))
        #expect(try left("any.@count == 1") == .path(path("any", steps: [.size])))
        #expect(try left("any[*].@count == 1") == .path(path("any", steps: [.elements(.all), .size])))
        #expect(try left("anys[*].@count == 1") == .path(path("anys", steps: [.elements(.all), .size])))
        for text in ["age.@count == 1", "born.@size == 1", "alive[SIZE] == 1", "nums[0].@count == 1"] {
            #expect(fault(text)?.code == .invalid, "\(text)")
        }
    }

    @Test("paths continue inside mixed values, whose shape is not known")
    func mixed() throws {
        let key = ValueStep.elements(.key("a"))
        #expect(try left("any['a'] == 1") == .path(path("any", steps: [key])))
        #expect(
            try left("any['a'][*].n == 1")
                == .path(path("any", steps: [key, .elements(.all), .elements(.key("n"))])))
        #expect(try left("any.@keys == 'x'") == .path(path("any", steps: [.keys])))
        #expect(try left("any.@values == 'x'") == .path(path("any", steps: [.elements(.all)])))
        #expect(try left("any.a.@type == 'int'") == .path(path("any", steps: [key, .typeName])))
        #expect(try left("anys[0].a == 1") == .path(path("anys", steps: [.elements(.position(0)), key])))
        #expect(try left("anys == 1") == .path(path("anys")))
        #expect(
            try left("any[*].@sum == 1") == .aggregate(BoundAggregate(.sum, path("any", steps: [.elements(.all)]))))
        #expect(fault("any.@sum == 1")?.code == .invalid)
    }

    @Test("@links counts all properties that can link to the class, mixed ones too")
    func allLinks() throws {
        let onPeople = QueryPrinter.text(try bind("@links.@count > 0"), schema: people)
        #expect(
            onPeople
                == "@links.Person.friend.@count + (@links.Person.any.@count + @links.Person.anys.@count) > 0")
        let throughDogs = QueryPrinter.text(try bind("dogs.@links.@count > 0"), schema: people)
        #expect(
            throughDogs
                == "dogs.@links.Person.dog.@count + dogs.@links.Person.any.@count + (dogs.@links.Person.dogs.@count"
                + " + (dogs.@links.Person.anys.@count + dogs.@links.Person.pets.@count)) > 0")
        // Nothing can link to such an object, and yet this is a condition on objects.
        let alone = Schema(
            version: 1, classes: [ClassSchema("Alone", properties: [PropertySchema("n", PropertyType(.int))])])
        let query = try QueryBinder(schema: alone).bind(
            "@links.@count == 0", class: alone["Alone"] ?? ClassSchema("Alone", properties: []))
        #expect(QueryPrinter.text(query, schema: alone) == "@links.@count == 0")
    }

    @Test("the property's type decides which aggregates exist, and their result types")
    func aggregates() throws {
        #expect(try left("dogs.@min.age == 1") == .aggregate(BoundAggregate(.minimum, path("dogs.age"))))
        #expect(try left("dogs.toys.@max.price == 1") == .aggregate(BoundAggregate(.maximum, path("dogs.toys.price"))))
        #expect(try left("prices.@avg == 1") == .aggregate(BoundAggregate(.average, path("prices"))))
        #expect(try left("pets.@values.@sum.age == 1") == .aggregate(BoundAggregate(.sum, path("pets.age"))))
        #expect(
            try left("dog.owners.@min.born == null") == .aggregate(BoundAggregate(.minimum, path("dog.owners.born"))))
        #expect(
            try bind("nums.@avg == 3").predicate
                == comparison(.aggregate(BoundAggregate(.average, path("nums"))), .equal, .constant(.double(3))))
        #expect(
            try bind("anys.@sum == 0.1").predicate
                == comparison(
                    .aggregate(BoundAggregate(.sum, path("anys"))), .equal,
                    .constant(.decimal(Decimal128("0.1") ?? .nan))))
        let faults = [
            ("dogs.@sum.name == 1", "Cannot use aggregate '.@sum' for this type of property"),
            ("dog.owners.@avg.born == 1", "Cannot use aggregate '.@avg' for this type of property"),
            ("dogs.@sum.toys == 1", "Cannot use aggregate '.@sum' for this type of property"),
            ("tags.@max == 'x'", "collection aggregate not supported for type 'string'"),
            ("prices.@keys.@max == 'x'", "collection aggregate not supported for type 'string'"),
            (
                "name.@min == 'x'",
                "Operation '.@min' cannot apply to property 'name' because it is not a list"
            ),
            ("dog.@max.age == 1", "Operation '.@max' cannot apply to property 'dog' because it is not a list"),
            ("dogs[0].@max.age == 1", "Operation '.@max' cannot apply to property 'dogs' because it is not a list"),
        ]
        for (text, message) in faults { #expect(fault(text)?.message == message, "\(text)") }
        for text in ["dogs.@min == 3", "nums.@min.x == 1"] { #expect(fault(text)?.code == .invalid, "\(text)") }
        #expect(fault("dogs.@sum.nosuch == 1")?.code == .unknownProperty)
    }

    @Test("an invalid path is rejected with the position where it stops")
    func faults() {
        let faults = [
            ("age.x == 1", "Property 'Person.age' has no property 'x'"),
            ("tags.x == 1", "Property 'Person.tags' has no property 'x'"),
            ("age[0] == 1", "Property 'Person.age' does not support index '0'"),
            ("marks[0] == 1", "Property 'Person.marks' does not support index '0'"),
            ("prices[0] == 1", "Property 'Person.prices' does not support index '0'"),
            ("tags['x'] == 1", "Property 'Person.tags' does not support index 'x'"),
            ("dog[0].age == 1", "Property 'Person.dog' does not support index '0'"),
            ("tags[0][1] == 'x'", "Only Property of type 'any' can have nested collections"),
            ("dogs[0][1] == null", "Only Property of type 'any' can have nested collections"),
            ("nums[*][0] == 1", "Only Property of type 'any' can have nested collections"),
            ("tags.@keys == 'x'", "Operation '@keys' cannot apply to property 'Person.tags' because it is not a map"),
            ("dogs.nosuch == 1", "'Dog' has no property 'nosuch'"),
            (
                "@links.Dog.toys.name == 1",
                "No property 'toys' found in type 'Dog' which links to type 'Person'"
            ),
            ("@links.Cat.x == 1", "No class 'Cat' in the schema"),
        ]
        for (text, message) in faults { #expect(fault(text)?.message == message, "\(text)") }
    }

    @Test("a key path argument is a whole path, with at most an operation after it")
    func keyPathArguments() throws {
        let dogs = [QueryArgument.value(.string("dogs"))]
        #expect(try left("$K0.@count == 1", dogs) == .path(path("dogs", count: true)))
        #expect(try left("$K0.@max.age == 1", dogs) == .aggregate(BoundAggregate(.maximum, path("dogs.age"))))
        #expect(try left("$K0[SIZE] == 1", dogs) == .path(path("dogs", count: true)))
        #expect(
            try left("$K0 == 1", [.value(.string("@links.Person.friend.age"))])
                == .path(
                    BoundPath(
                        links: [
                            .backward(
                                origin: objectClass("Person").id,
                                property: objectClass("Person")["friend"]?.id ?? PropertyID(0))
                        ], end: path("age").end)))
        #expect(
            fault("$K0 == 1", "Person", [.list([.string("age")])])?.message
                == "Null or list cannot be used for parameter '$K0'")
        #expect(fault("$K0 == 1", "Person", [.value(.string("age == 1 OR age"))])?.code == .syntax)
        #expect(fault("$K0 == 1", "Person", [.value(.string("$K0"))])?.code == .argument)
        #expect(fault("$K0 == 1", "Person", [.value(.string("nosuch"))])?.code == .unknownProperty)
    }

    @Test("subqueries range over to-many links, with a variable of their own")
    func subqueries() throws {
        #expect(
            try bind("SUBQUERY(dogs, $d, $d.age > 3).@size == 1")
                == (try bind("SUBQUERY(dogs, $x, age > 3).@count == 1")))
        for text in [
            "SUBQUERY(dog.toys, $t, $t.brand == 'x').@count > 0", "SUBQUERY(dog.owners, $p, $p.age > 3).@count > 0",
            "SUBQUERY(pets, $d, $d == obj('Dog', 'rex')).@count > 0",
            "SUBQUERY(dogs, $x, SUBQUERY($x.toys, $x, $x.brand == 'a').@count > 1).@count > 0",
            "SUBQUERY(dogs, $d, SUBQUERY($d.owner, $p, SUBQUERY($p.dogs, $e, $e.age > 1).@count > 0).@count > 1).@count > 0",
            "SUBQUERY(dogs, $d, $d.@links.@count > 1).@count == $0",
        ] {
            #expect(fault(text, "Person", [.value(.int(1))]) == nil, "\(text): \(fault(text)?.message ?? "")")
        }
        let faults = [
            (
                "SUBQUERY(nums, $d, $d.age > 3).@count > 0",
                "A subquery can not operate on a list of primitive values (property 'nums')"
            ),
            (
                "SUBQUERY(age, $d, $d.age > 3).@count > 0",
                "A subquery must operate on a list property, but 'age' is type 'int'"
            ),
            (
                "SUBQUERY(dog, $d, $d.age > 3).@count > 0",
                "A subquery must operate on a list property, but 'dog' is type 'link'"
            ),
            (
                "SUBQUERY(dogs[0], $d, $d.age > 3).@count > 0",
                "A subquery must operate on a list property, but 'dogs[0]' is type 'link'"
            ),
            (
                "SUBQUERY(dogs, $d, SUBQUERY($d.owner, $p, SUBQUERY($p.dogs, $d, $d.age > 1).@count > 0).@count > 1).@count > 0",
                "Unable to create a subquery expression with variable '$d' since an identical variable already exists in this context"
            ),
        ]
        for (text, message) in faults { #expect(fault(text)?.message == message, "\(text)") }
        #expect(fault("SUBQUERY(dogs, $d, SUBQUERY($d.toys, $t, $d.age > 1).@count > 0).@count > 0")?.code == .invalid)
        #expect(fault("SUBQUERY(dogs, $d, $d.nosuch > 1).@count > 0")?.code == .unknownProperty)
        #expect(fault("SUBQUERY(dogs, $d, born == null).@count > 0")?.code == .unknownProperty)
    }

    @Test("queries with differently encoded accents are different queries")
    func spellings() {
        let selectors = ["\u{e9}", "e\u{301}"].map { ElementSelector.key($0) }
        #expect(selectors[0] != selectors[1])
        #expect(Set(selectors + [.key("e")]).count == 3)
        let words = ["\u{e9}", "e\u{301}"].map { FullTextSearch.Word($0) }
        #expect(words[0] != words[1])
        #expect(Set(words + [FullTextSearch.Word("e", isPrefix: true)]).count == 3)
    }
}
