import ObjectModel
import QuerySyntax
import QueryLanguage

/// The classes of the corpus: people, their dogs, and properties of every kind.
let people = Schema(
    version: 1,
    classes: [
        ClassSchema(
            "Person", primaryKey: "id",
            properties: [
                PropertySchema("id", PropertyType(.objectId)),
                PropertySchema("name", PropertyType(.string, isOptional: true)),
                PropertySchema("age", PropertyType(.int)),
                PropertySchema("height", PropertyType(.double, isOptional: true)),
                PropertySchema("weight", PropertyType(.float)),
                PropertySchema("born", PropertyType(.date, isOptional: true)),
                PropertySchema("alive", PropertyType(.bool)),
                PropertySchema("key", PropertyType(.uuid)),
                PropertySchema("dog", PropertyType(.link("Dog"), isOptional: true)),
                PropertySchema("friend", PropertyType(.link("Person"), isOptional: true)),
                PropertySchema("photo", PropertyType(.data, isOptional: true)),
                PropertySchema("worth", PropertyType(.decimal128, isOptional: true)),
                PropertySchema("any", PropertyType(.mixed, isOptional: true)),
                PropertySchema("dogs", PropertyType(.link("Dog"), collection: .list)),
                PropertySchema("tags", PropertyType(.string, collection: .list)),
                PropertySchema("nums", PropertyType(.int, collection: .list)),
                PropertySchema("marks", PropertyType(.int, collection: .set)),
                PropertySchema("anys", PropertyType(.mixed, isOptional: true, collection: .list)),
                PropertySchema("prices", PropertyType(.double, isOptional: true, collection: .map)),
                PropertySchema("pets", PropertyType(.link("Dog"), isOptional: true, collection: .map)),
                PropertySchema("bio", PropertyType(.string, isOptional: true), isFullTextIndexed: true),
                PropertySchema("place", PropertyType(.link("Place"), isOptional: true)),
                PropertySchema("places", PropertyType(.link("Place"), collection: .list)),
                PropertySchema("sort", PropertyType(.int)),
                PropertySchema("in", PropertyType(.string)),
                PropertySchema("fav item", PropertyType(.int)),
                PropertySchema("a-b", PropertyType(.int)),
                PropertySchema("true love", PropertyType(.bool)),
                PropertySchema("NOT0", PropertyType(.int)),
                PropertySchema("你好", PropertyType(.int)),
            ]),
        ClassSchema(
            "Dog", primaryKey: "name",
            properties: [
                PropertySchema("name", PropertyType(.string)),
                PropertySchema("age", PropertyType(.int, isOptional: true)),
                PropertySchema("toy", PropertyType(.link("Toy"), isOptional: true)),
                PropertySchema("toys", PropertyType(.link("Toy"), collection: .list)),
                PropertySchema("owners", PropertyType(.linkingObjects(fromClass: "Person", property: "dog"))),
                PropertySchema("owner", PropertyType(.linkingObjects(fromClass: "Person", property: "dogs"))),
            ]),
        ClassSchema(
            "Toy",
            properties: [
                PropertySchema("brand", PropertyType(.string)),
                PropertySchema("price", PropertyType(.float, isOptional: true)),
            ]),
        ClassSchema(
            "Place", isEmbedded: true,
            properties: [
                PropertySchema("type", PropertyType(.string)),
                PropertySchema("coordinates", PropertyType(.double, collection: .list)),
            ]),
    ])

func objectClass(_ name: String) -> ClassSchema { people[name] ?? ClassSchema(name, properties: []) }

func bind(
    _ text: String, _ className: String = "Person", _ arguments: [QueryArgument] = [], dialect: QueryDialect = .rql
) throws(QueryError) -> BoundQuery {
    try QueryBinder(schema: people).bind(
        text, class: objectClass(className), arguments: arguments, dialect: dialect)
}

/// The error of a text that must not bind.
func fault(
    _ text: String, _ className: String = "Person", _ arguments: [QueryArgument] = [], dialect: QueryDialect = .rql
) -> QueryError? {
    do throws(QueryError) {
        _ = try bind(text, className, arguments, dialect: dialect)
        return nil
    } catch {
        return error
    }
}

/// A path of the class by its property names, over all elements of collections; backlinks through the named
/// linking-objects properties. `steps` continue inside a value, `count` counts objects.
func path(_ text: String, _ className: String = "Person", steps: [ValueStep]? = nil, count: Bool = false) -> BoundPath {
    var current = objectClass(className)
    var links: [LinkStep] = []
    for name in text.split(separator: ".").map(String.init) {
        guard let property = current[name] else { break }
        switch property.type.base {
        case .link(let target):
            current = objectClass(target)
            links.append(
                property.type.isCollection
                    ? .elements(property.id, target: current.id, .all) : .forward(property.id, target: current.id))
        case .linkingObjects(let origin, let link):
            current = objectClass(origin)
            links.append(.backward(origin: current.id, property: current[link]?.id ?? PropertyID(0)))
        default:
            return BoundPath(
                links: links, end: .property(property.id, property.type),
                steps: steps ?? (property.type.isCollection ? [.elements(.all)] : []))
        }
    }
    return BoundPath(links: links, end: count ? .count : .object(current.id))
}

/// One element of a list, or value of a map, of links of a person, and a property of it.
func element(_ collection: String, _ selector: ElementSelector, _ property: String, of target: String) -> BoundPath {
    guard let links = objectClass("Person")[collection], let value = objectClass(target)[property] else {
        return path("")
    }
    return BoundPath(
        links: [.elements(links.id, target: objectClass(target).id, selector)], end: .property(value.id, value.type))
}

func comparison(
    _ left: BoundOperand, _ comparison: ComparisonOperator, _ right: BoundOperand, ignoresCase: Bool = false,
    leftQuantifier: Quantifier = .any, rightQuantifier: Quantifier = .any, isElementwise: Bool = false
) -> BoundPredicate {
    .comparison(
        BoundComparison(
            left, comparison, right, ignoresCase: ignoresCase, leftQuantifier: leftQuantifier,
            rightQuantifier: rightQuantifier, isElementwise: isElementwise))
}
