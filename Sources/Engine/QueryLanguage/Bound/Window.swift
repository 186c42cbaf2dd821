package import ObjectModel

/// A part of an ordered result: the objects after `after`, without the first `offset`, at most `limit`.
package struct Window: Hashable, Sendable {
    package var after: Cursor?
    package var offset: Int
    package var limit: Int?

    package static let all = Window()

    package init(after: Cursor? = nil, offset: Int = 0, limit: Int? = nil) {
        self.after = after
        self.offset = offset
        self.limit = limit
    }
}

/// A position in a sorted result of objects of a class, by value: the next page is right even if objects were inserted
/// or deleted in between. It refers to the query's order, then creation order. The rest of the present result follows
/// it: for a query with distinct steps, the objects that are the first of their combination in the whole result.
package struct Cursor: Hashable, Sendable {
    /// One value per key of the query's `order`, as `Snapshot.sortValues` returns them.
    package var values: [Value?]
    /// Breaks ties.
    package var key: ObjectKey

    package init(values: [Value?], key: ObjectKey) {
        self.values = values
        self.key = key
    }
}
