import ObjectModel
import QueryOperators
import QueryLanguage
import StoreContract

/// The rules of a visibility filter under one schema, and the changes that can affect them.
final class VisibilityConditions {
    /// The condition under which objects of one class are visible.
    struct Condition {
        let query: BoundQuery
        /// The dependencies of the condition; nil where they cannot be determined.
        let dependencies: QueryDependencies?
        /// The part of the predicate that can be evaluated quickly.
        let quick: ValuePredicate
    }

    /// The store's whole schema.
    let schema: Schema
    private let conditions: [ClassID: Condition]
    private let restricted: Set<ClassID>
    /// The classes that links in mixed values may lead to.
    private let linkable: [ClassID]

    init(_ visibility: any VisibilityFilter, _ schema: Schema) {
        self.schema = schema
        let predicates = visibility.conditions(under: schema)
        var conditions: [ClassID: Condition] = [:]
        for objectClass in schema.classes {
            let predicate = predicates[objectClass.id] ?? .constant(false)
            guard predicate != .constant(true) else { continue }
            let query = BoundQuery(classID: objectClass.id, predicate: predicate)
            conditions[objectClass.id] = Condition(
                query: query, dependencies: try? QueryDependencies(query, schema: schema),
                quick: ValuePredicate(predicate))
        }
        self.conditions = conditions
        restricted = visibility.restricted(under: schema)
        linkable = schema.classes.filter { !$0.isEmbedded }.map(\.id)
    }

    /// Nil when all objects of the class are visible.
    subscript(_ classID: ClassID) -> Condition? { conditions[classID] }

    /// The classes that a property of a visible object can link to and whose objects may be hidden.
    func hiddenTargets(of property: PropertySchema) -> [ClassID] {
        guard !property.type.isComputed else { return [] }
        let targets = property.type.isMixed ? linkable : [property.targetClass].compactMap { $0 }
        return targets.filter(restricted.contains)
    }

    /// Whether something that a property holds may be hidden: the object that it leads to, or, for a single embedded
    /// object, something that this leads to in turn, because it is seen as a value of its owner.
    func mayHide(within property: PropertySchema) -> Bool {
        if !hiddenTargets(of: property).isEmpty { return true }
        guard property.ownsTarget, !property.type.isCollection, let target = property.targetClass else { return false }
        return schema[target]?.storedProperties.contains(where: mayHide) ?? false
    }

    /// The classes whose changes can affect the visible data of objects of these classes.
    func sources(of classes: Set<ClassID>) -> Set<ClassID> {
        var sources = classes
        for classID in classes {
            sources.formUnion(conditions[classID]?.dependencies?.classes ?? [])
            for property in schema[classID]?.storedProperties ?? [] {
                for target in hiddenTargets(of: property) {
                    sources.formUnion(conditions[target]?.dependencies?.classes ?? [])
                }
            }
        }
        return sources
    }
}
