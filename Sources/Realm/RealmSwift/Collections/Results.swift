/// The live result of a query. It shows the realm's present state, including the changes of the open write transaction.
///
/// The query runs on first use: chained filters and sorts cost nothing until then.
public struct Results<Element: RealmCollectionValue>: Equatable, RealmCollectionImpl {
    let source: any CollectionAccessor
    var accessor: (any CollectionAccessor)? { source }
    var unmanaged: [Element] { [] }

    init(_ source: any CollectionAccessor) { self.source = source }
    init(accessor: any CollectionAccessor) { source = accessor }

    /// The element at a position. Traps if the position does not exist.
    public subscript(position: Int) -> Element { element(at: position) }

    /// Whether both are the same results; the results of two equal queries are not equal.
    public static func == (a: Results, b: Results) -> Bool { a.source === b.source }

    public var description: String { describe(0) }
}
