/// The live result of a query. It shows the realm's present state, also what the open write transaction has done.
///
/// It is evaluated when first used: filters and sorts in a chain cost nothing until then.
public struct Results<Element: RealmCollectionValue>: Equatable, RealmCollectionImpl {
    let source: any CollectionAccessor
    var accessor: (any CollectionAccessor)? { source }
    var unmanaged: [Element] { [] }

    init(_ source: any CollectionAccessor) { self.source = source }
    init(accessor: any CollectionAccessor) { source = accessor }

    /// The element at a position. Traps for one that does not exist.
    public subscript(position: Int) -> Element { element(at: position) }

    /// The same results object; two equal queries are not equal.
    public static func == (a: Results, b: Results) -> Bool { a.source === b.source }

    public var description: String { describe(0) }
}
