import Columnar
import ObjectModel
import QueryLanguage
import QueryOperators
import QuerySyntax

/// An index that the store does not have, for plans that are not executed: a pass over the column finds what the index
/// would list.
struct AssumedIndex {
    private let property: PropertyID
    private let type: PropertyType
    private let classID: ClassID
    private let source: any ColumnSource

    /// Nil for a property that does not exist.
    init?(of property: PropertyID, in classID: ClassID, _ source: any ColumnSource) {
        guard let type = source.schema[classID]?[property]?.type else { return nil }
        (self.property, self.type, self.classID, self.source) = (property, type, classID, source)
    }

    func isOf(_ classID: ClassID, _ property: PropertyID) -> Bool {
        classID == self.classID && property == self.property
    }

    /// The objects whose property equals one of the values, as from `ColumnSource.lookUp`: nil if they are more than
    /// `limit`.
    func lookUp(_ values: [Value], limit: Int) throws -> [ObjectKey]? {
        let isOneOfThem = BoundComparison(
            .path(BoundPath(end: .property(property, type))), .equal, .list(values), rightQuantifier: .any)
        let keys = try QueryExecutor(source).select(
            BoundQuery(classID: classID, predicate: .comparison(isOneOfThem)), Window(limit: limit + 1))
        return keys.count <= limit ? keys : nil
    }
}

/// The objects that an assumed index lists.
final class AssumedIndexOperator: Operator {
    private let listed: any Operator
    let count: Int

    convenience init(_ keys: [ObjectKey], capacity: Int, origin: String) {
        self.init(KeySetOperator(keys, capacity: capacity, origin: "assumed \(origin)"), keys.count)
    }

    private init(_ listed: any Operator, _ count: Int) {
        self.listed = listed
        self.count = count
    }

    var cost: Double { listed.cost }

    func share(of cluster: ClusterView) throws -> Double { try listed.share(of: cluster) }

    func candidateClusters() -> [Int]? { listed.candidateClusters() }

    func narrow(_ mask: SelectionMask, in cluster: ClusterView) throws { try listed.narrow(mask, in: cluster) }

    func copy() -> any Operator { AssumedIndexOperator(listed.copy(), count) }

    func words(_ names: ExplainNames) -> String { listed.words(names) }
}

extension Operator {
    /// The number of objects that pass the look-ups in an assumed index, when no other object can match; else nil.
    var foundByAssumedIndex: Int? {
        switch self {
        case let index as AssumedIndexOperator: return index.count
        case is AndOperator: return parts.compactMap(\.foundByAssumedIndex).min()
        case is OrOperator:
            let counts = parts.map(\.foundByAssumedIndex)
            return counts.contains(nil) ? nil : counts.compactMap { $0 }.reduce(0, +)
        default: return nil
        }
    }
}
