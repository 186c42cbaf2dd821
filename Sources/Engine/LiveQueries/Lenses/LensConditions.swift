import ObjectModel
import QueryExecution
import QueryLanguage
import StoreContract

/// What a lens hides under one schema, and which changes can alter that.
final class LensConditions {
    /// What objects of one class must be like to be there.
    struct Condition {
        let query: BoundQuery
        /// What that depends on; nil where it cannot be said.
        let dependencies: QueryDependencies?
        /// The predicate, as far as it can be told quickly.
        let quick: ValuePredicate
    }

    /// All that the store has.
    let schema: Schema
    private let conditions: [ClassID: Condition]
    private let restricted: Set<ClassID>
    /// The classes that links in mixed values may lead to.
    private let linkable: [ClassID]

    init(_ lens: any LiveLens, _ schema: Schema) {
        self.schema = schema
        let predicates = lens.conditions(under: schema)
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
        restricted = lens.restricted(under: schema)
        linkable = schema.classes.filter { !$0.isEmbedded }.map(\.id)
    }

    /// Nil when all objects of the class are there.
    subscript(_ classID: ClassID) -> Condition? { conditions[classID] }

    /// The classes of objects that a property of an object which is there can lead to and that may not be there.
    func hiddenTargets(of property: PropertySchema) -> [ClassID] {
        guard !property.type.isComputed else { return [] }
        let targets = property.type.isMixed ? linkable : [property.targetClass].compactMap { $0 }
        return targets.filter(restricted.contains)
    }

    /// Whether something that a property holds may not be there: what it leads to, or, of one embedded object, something
    /// that this leads to in turn, because it is seen as a value of its owner.
    func mayHide(within property: PropertySchema) -> Bool {
        if !hiddenTargets(of: property).isEmpty { return true }
        guard property.ownsTarget, !property.type.isCollection, let target = property.targetClass else { return false }
        return schema[target]?.storedProperties.contains(where: mayHide) ?? false
    }

    /// The classes whose changes can matter to what is seen of the objects of these.
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
