import QuerySyntax
import ObjectModel
import QueryLanguage
import TestBasics

/// Predicates that are not comparisons: BETWEEN, TEXT and GEOWITHIN.
extension RandomQueries {
    func special(of classID: ClassID, depth: Int, _ random: inout SeededRandom) -> BoundPredicate {
        switch random.below(4) {
        case 0, 1:
            if let found = fullText(in: classID, &random) { return .fullText(found) }
        case 2:
            if let found = geoWithin(in: classID, &random) { return .geoWithin(found) }
        default: break
        }
        let found = operand(in: classID, depth: depth, isLocal: false, &random)
        guard case .value(let base) = found.kind, base != .bool, base != .mixed else {
            return .comparison(comparison(in: classID, depth: depth, isLocal: false, &random))
        }
        return .between(
            BoundBetween(
                found.operand, constant(for: found.kind, .less, &random), constant(for: found.kind, .less, &random),
                quantifier: quantifier(&random)))
    }

    /// A search in a property with a full-text index, of the class or of a linked one.
    private func fullText(in classID: ClassID, _ random: inout SeededRandom) -> BoundFullText? {
        var links: [LinkStep] = []
        var current = classID
        for _ in 0..<6 {
            let indexed = schema[current]?.properties.filter(\.isFullTextIndexed) ?? []
            if let property = random.pick(indexed) {
                let words = (0...random.below(3)).map { _ in
                    FullTextSearch.Word(
                        RandomValues.searchWord(&random), isPrefix: random.oneIn(3), isExcluded: random.oneIn(4))
                }
                return BoundFullText(
                    BoundPath(links: links, end: .property(property.id, property.type)), FullTextSearch(words),
                    quantifier: quantifier(&random))
            }
            (links, current) = ([], classID)
            guard let step = linkStep(from: current, isToMany: random.oneIn(2), &random) else { continue }
            (links, current) = ([step.0], step.1)
        }
        return nil
    }

    /// A region around links to points.
    private func geoWithin(in classID: ClassID, _ random: inout SeededRandom) -> BoundGeoWithin? {
        var links: [LinkStep] = []
        var current = classID
        for _ in 0..<12 {
            if !links.isEmpty, let target = schema[current], let type = target["type"],
                let coordinates = target["coordinates"], RandomSchemas.isPoint(target)
            {
                return BoundGeoWithin(
                    links: links, type: type.id, coordinates: coordinates.id, RandomValues.shape(&random),
                    quantifier: quantifier(&random))
            }
            if links.count > 1 { (links, current) = ([], classID) }
            guard let step = linkStep(from: current, isToMany: random.oneIn(2), &random) else { continue }
            links.append(step.0)
            current = step.1
        }
        return nil
    }
}
