package import ObjectModel
import QuerySyntax
package import QueryLanguage
package import TestBasics

/// Makes bound queries, sorts, windows, aggregates and sections that fit a schema, as the binder could have made them.
package struct RandomQueries: Sendable {
    package enum Forms: Sendable {
        /// Comparisons of single values of the types that `RandomSchemas.Kinds.queryable` has, through links.
        case basic
        /// Everything that a bound query can contain.
        case all
    }

    let schema: Schema
    let forms: Forms

    package init(_ schema: Schema, forms: Forms = .basic) {
        self.schema = schema
        self.forms = forms
    }

    /// A query over a random class with any steps.
    package func query(_ random: inout SeededRandom) -> BoundQuery {
        guard let objectClass = random.pick(schema.classes) else { return BoundQuery(classID: ClassID(0)) }
        return query(of: objectClass.id, &random)
    }

    package func query(of classID: ClassID, _ random: inout SeededRandom) -> BoundQuery {
        var steps: [ResultStep] = []
        for _ in 0..<(random.oneIn(3) ? 0 : 1 + random.below(3)) {
            switch random.below(5) {
            case 0: steps.append(.limit(random.below(12)))
            case 1: steps.append(.distinct(singlePaths(from: classID, &random)))
            default: steps.append(.sort(sortKeys(from: classID, &random)))
            }
        }
        let scope = forms == .all && random.oneIn(6) ? scope(of: classID, &random) : .all
        return BoundQuery(
            classID: classID, scope: scope, predicate: predicate(of: classID, depth: 2, &random), steps: steps)
    }

    /// A query whose result follows from each object's own values: no links to other objects, and sorts as the only
    /// steps.
    package func localQuery(of classID: ClassID, _ random: inout SeededRandom) -> BoundQuery {
        let steps: [ResultStep] = (0..<random.below(3)).map { _ in
            .sort(
                (0...random.below(2)).map { _ in
                    SortKey(ownPath(of: classID, isToMany: false, &random).path, ascending: random.oneIn(2))
                })
        }
        let parts: [BoundPredicate] = (0..<random.below(3)).map { _ in
            .comparison(comparison(in: classID, depth: 0, isLocal: true, &random))
        }
        let predicate: BoundPredicate = random.oneIn(2) ? .and(parts) : .not(.or(parts))
        return BoundQuery(classID: classID, predicate: predicate, steps: steps)
    }

    package func predicate(of classID: ClassID, depth: Int, _ random: inout SeededRandom) -> BoundPredicate {
        switch random.below(depth > 0 ? 11 : 7) {
        case 0: return random.oneIn(3) ? .constant(random.oneIn(4)) : .constant(true)
        case 1 where forms == .all:
            return special(of: classID, depth: depth, &random)
        case 7: return .not(predicate(of: classID, depth: depth - 1, &random))
        case 8: return .and((0..<random.below(4)).map { _ in predicate(of: classID, depth: depth - 1, &random) })
        case 9, 10: return .or((0..<random.below(4)).map { _ in predicate(of: classID, depth: depth - 1, &random) })
        default:
            return .comparison(comparison(in: classID, depth: depth, isLocal: false, &random))
        }
    }

    /// A window without a cursor.
    package func window(_ random: inout SeededRandom) -> Window {
        Window(
            offset: random.oneIn(2) ? 0 : random.below(8), limit: random.oneIn(2) ? nil : random.below(12))
    }

    /// The objects in some object's property; all of them where no property holds such objects.
    private func scope(of classID: ClassID, _ random: inout SeededRandom) -> QueryScope {
        let holders = schema.classes.flatMap { holder in
            holder.properties.filter {
                $0.targetClass == classID && ($0.type.isComputed || $0.type.isCollection)
            }.map { (holder.id, $0.id) }
        }
        guard let (holder, property) = random.pick(holders) else { return .all }
        return .property(ObjectReference(holder, objectKey(&random)), property)
    }

    /// Mostly the key of an existing object.
    func objectKey(_ random: inout SeededRandom) -> ObjectKey { ObjectKey(Int64(random.below(40)) - 1) }

    func quantifier(_ random: inout SeededRandom) -> Quantifier {
        random.pick([.any, .any, .all, .none]) ?? .any
    }
}
