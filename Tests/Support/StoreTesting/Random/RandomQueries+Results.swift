package import ObjectModel
package import QueryLanguage
package import TestBasics

/// Sorts, groups and aggregates of a result.
extension RandomQueries {
    /// Sort keys of one value each.
    package func sortKeys(from classID: ClassID, _ random: inout SeededRandom) -> [SortKey] {
        singlePaths(from: classID, &random).map { SortKey($0, ascending: random.oneIn(2)) }
    }

    /// One to three paths of one value each, which is neither an object nor a collection: for sorting, distinct and
    /// grouping.
    package func singlePaths(from classID: ClassID, _ random: inout SeededRandom) -> [BoundPath] {
        (0...random.below(2)).map { _ in singlePath(from: classID, &random).path }
    }

    /// Aggregates that fit their paths' types.
    package func aggregates(of classID: ClassID, _ random: inout SeededRandom) -> [AggregateRequest] {
        (0...random.below(3)).compactMap { _ in
            for _ in 0..<20 {
                let found = singlePath(from: classID, &random)
                if case .value(let base) = found.kind, let function = function(of: base, &random) {
                    return AggregateRequest(function, found.path)
                }
            }
            return nil
        }
    }

    package func sectionKey(of classID: ClassID, _ random: inout SeededRandom) -> SectionKey {
        let found = singlePath(from: classID, &random)
        let functions: [SectionKey.Function?] =
            switch found.kind {
            case .value(.string): [nil, .first, .isNull]
            case .value(.date): [nil, .year, .month, .day, .hour, .weekday, .isNull]
            case .value(.mixed): SectionKey.Function.allCases + [nil, nil]
            default: [nil, nil, .isNull]
            }
        return SectionKey(
            found.path, random.pick(functions) ?? nil, order: random.pick(SectionKey.Order.allCases) ?? .firstElements)
    }

    /// A collection of values that can be aggregated, with its path; nil where the schema has none.
    package func collectionAggregate(
        _ random: inout SeededRandom
    ) -> (holder: ClassID, property: PropertyID, functions: [AggregateRequest.Function])? {
        let collections = schema.classes.flatMap { objectClass in
            objectClass.storedProperties.filter { $0.type.isCollection && !$0.type.isLink }.map { (objectClass.id, $0) }
        }
        guard let (holder, property) = random.pick(collections),
            let function = function(of: property.type.base, &random)
        else { return nil }
        return (holder, property.id, [.minimum, function, .maximum])
    }

    /// Any aggregate that the values support.
    func function(of base: BaseType, _ random: inout SeededRandom) -> AggregateRequest.Function? {
        switch base {
        case .int, .float, .double, .decimal128, .mixed: random.pick(AggregateRequest.Function.allCases)
        case .date: random.oneIn(2) ? .minimum : .maximum
        default: nil
        }
    }
}
