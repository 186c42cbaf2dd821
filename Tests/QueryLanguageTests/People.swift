import ObjectModel
import QueryLanguage

/// The classes that the corpus speaks of: people, their dogs, and everything that this version stores.
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
                PropertySchema("sort", PropertyType(.int)),
                PropertySchema("in", PropertyType(.string)),
                PropertySchema("fav item", PropertyType(.int)),
                PropertySchema("a-b", PropertyType(.int)),
                PropertySchema("NOT0", PropertyType(.int)),
                PropertySchema("你好", PropertyType(.int)),
            ]),
        ClassSchema(
            "Dog", primaryKey: "name",
            properties: [
                PropertySchema("name", PropertyType(.string)),
                PropertySchema("age", PropertyType(.int, isOptional: true)),
                PropertySchema("toy", PropertyType(.link("Toy"), isOptional: true)),
                PropertySchema("owners", PropertyType(.linkingObjects(fromClass: "Person", property: "dog"))),
            ]),
        ClassSchema("Toy", properties: [PropertySchema("brand", PropertyType(.string))]),
    ])

func objectClass(_ name: String) -> ClassSchema { people[name] ?? ClassSchema(name, properties: []) }

func bind(_ text: String, _ className: String = "Person", _ arguments: [QueryArgument] = []) throws(QueryError)
    -> BoundQuery
{
    try QueryBinder(schema: people).bind(text, class: objectClass(className), arguments: arguments)
}

/// The error of a text that must not bind.
func fault(_ text: String, _ className: String = "Person", _ arguments: [QueryArgument] = []) -> QueryError? {
    do throws(QueryError) {
        _ = try bind(text, className, arguments)
        return nil
    } catch {
        return error
    }
}

/// A path of the class, by its property names; backlinks through the named linking-objects properties.
func path(_ text: String, _ className: String = "Person") -> BoundPath {
    var current = objectClass(className)
    var links: [LinkStep] = []
    for name in text.split(separator: ".").map(String.init) {
        guard let property = current[name] else { break }
        switch property.type.base {
        case .link(let target):
            current = objectClass(target)
            links.append(.forward(property.id, target: current.id))
        case .linkingObjects(let origin, let link):
            current = objectClass(origin)
            links.append(.backward(origin: current.id, property: current[link]?.id ?? PropertyID(0)))
        default:
            return BoundPath(links: links, end: .property(property.id, property.type))
        }
    }
    return BoundPath(links: links, end: .object(current.id))
}

func comparison(
    _ left: BoundOperand, _ comparison: ComparisonOperator, _ right: BoundOperand, ignoresCase: Bool = false,
    leftQuantifier: Quantifier = .any, rightQuantifier: Quantifier = .any
) -> BoundPredicate {
    .comparison(
        BoundComparison(
            left, comparison, right, ignoresCase: ignoresCase, leftQuantifier: leftQuantifier,
            rightQuantifier: rightQuantifier))
}
