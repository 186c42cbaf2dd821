/// The live result of a query. It shows the realm's present state, including the changes of the open write transaction.
///
/// The query runs on first use: chained filters and sorts cost nothing until then.
///
/// ```swift
/// let old = realm.objects(Book.self).where { $0.year < 1850 }.sorted(by: \.title)
/// print(old.count, old.first?.title ?? "none")
/// for book in old.filter("author.name BEGINSWITH 'M'") { print(book.title) }
/// ```
public struct Results<Element: RealmCollectionValue>: Equatable, RealmCollectionImpl {
    /// Nil for a query of the linking objects of an unmanaged object, which finds nothing.
    let accessor: (any CollectionAccessor)?
    var unmanaged: [Element] { [] }
    var isEmptyForever: Bool { accessor == nil }

    init(_ accessor: (any CollectionAccessor)?) { self.accessor = accessor }
    init(accessor: any CollectionAccessor) { self.accessor = accessor }

    /// The element at a position. Traps if the position does not exist.
    public subscript(position: Int) -> Element { element(at: position) }

    /// Whether both are the same results; the results of two equal queries are not equal.
    public static func == (a: Results, b: Results) -> Bool { a.accessor === b.accessor }

    public var description: String { describe(0) }
}
