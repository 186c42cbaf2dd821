package import Columnar
package import ObjectModel
package import QueryLanguage

/// Tests objects one by one, for conditions without a column operator.
package final class RowOperator: Operator {
    private let source: any ColumnSource
    private let classID: ClassID
    private let predicate: BoundPredicate
    private let about: String
    private lazy var row = RowPredicate(predicate, on: classID, in: source)

    /// `about` describes the condition for people.
    package init(_ source: any ColumnSource, _ classID: ClassID, _ predicate: BoundPredicate, about: String) {
        self.source = source
        self.classID = classID
        self.predicate = predicate
        self.about = about
    }

    package var cost: Double { 500 }

    package func narrow(_ mask: SelectionMask, in cluster: ClusterView) throws {
        let first = Int64(cluster.firstKey)
        try mask.filter { try row.holds(ObjectKey(first + Int64($0))) }
    }

    package func copy() -> any Operator { RowOperator(source, classID, predicate, about: about) }

    package func words(_ names: ExplainNames) -> String { "row by row: \(about)" }
}
