package import QueryLanguage
package import StoreContract

/// What a read asks the store for, to be noted if it takes long.
package struct AskedQuery: Sendable {
    let query: BoundQuery
    let window: Window
    let snapshot: any Snapshot
    /// The number of objects that the answer has or, of an aggregate, that the query selects; nil if it is not known.
    let returned: Int?

    package init(_ query: BoundQuery, _ window: Window = .all, of snapshot: any Snapshot, returned: Int? = nil) {
        self.query = query
        self.window = window
        self.snapshot = snapshot
        self.returned = returned
    }
}
