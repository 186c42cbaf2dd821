package import ObjectModel

/// A result in sections: objects with the same key, sections in the order in which the result first has one of
/// their objects, the objects of a section in the result's order.
package struct SectionedKeys: Hashable, Sendable {
    package struct Section: Hashable, Sendable {
        package var key: Value
        /// Its objects' places in `keys`.
        package var range: Range<Int>

        package init(key: Value, range: Range<Int>) {
            self.key = key
            self.range = range
        }
    }

    package var sections: [Section]
    package var keys: [ObjectKey]

    package init(sections: [Section], keys: [ObjectKey]) {
        self.sections = sections
        self.keys = keys
    }
}

/// The aggregates of the objects that share the values of the key paths that the result is grouped by.
package struct AggregateGroup: Hashable, Sendable {
    /// One for each key path; null also where a link on the way is null.
    package var key: [Value]
    package var count: Int
    /// In the order asked for.
    package var results: [Value]

    package init(key: [Value], count: Int, results: [Value]) {
        self.key = key
        self.count = count
        self.results = results
    }
}

/// How a store runs a query, for people: the plan, and what each of its parts did when it was really run.
package struct QueryExplanation: Hashable, Sendable {
    package struct Part: Hashable, Sendable {
        /// What it does.
        package var words: String
        /// Objects that it was asked about, and those that it kept; nil when it was not run.
        package var rowsIn: Int?
        package var rowsOut: Int?
        /// Clusters of which it read values, and those that it decided by their headers alone.
        package var clustersRead: Int?
        package var clustersSkipped: Int?
        package var nanoseconds: Int?
        package var parts: [Part]

        package init(
            _ words: String, rowsIn: Int? = nil, rowsOut: Int? = nil, clustersRead: Int? = nil,
            clustersSkipped: Int? = nil, nanoseconds: Int? = nil, parts: [Part] = []
        ) {
            self.words = words
            self.rowsIn = rowsIn
            self.rowsOut = rowsOut
            self.clustersRead = clustersRead
            self.clustersSkipped = clustersSkipped
            self.nanoseconds = nanoseconds
            self.parts = parts
        }
    }

    package var root: Part
    /// The number of objects that the query gave, and the time that all of it took; nil when it was not run.
    package var count: Int?
    package var nanoseconds: Int?

    package init(_ root: Part, count: Int? = nil, nanoseconds: Int? = nil) {
        self.root = root
        self.count = count
        self.nanoseconds = nanoseconds
    }
}
