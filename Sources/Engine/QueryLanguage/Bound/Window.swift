package import ObjectModel

/// A part of an ordered result: what lies after `after`, without the first `offset`, at most `limit`.
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

/// A place in a sorted result of objects of a class, by value: the next page is right also when objects came or went in
/// between. It belongs to the query's order, then creation order. Behind it lies what the whole result has there as it is
/// now: of a query with distinct steps the objects that are the first of their kind in all of it.
package struct Cursor: Hashable, Sendable {
    /// One per key of the query's `order`, as `Snapshot.sortValues` gives them.
    package var values: [Value?]
    /// Breaks ties.
    package var key: ObjectKey

    package init(values: [Value?], key: ObjectKey) {
        self.values = values
        self.key = key
    }
}
