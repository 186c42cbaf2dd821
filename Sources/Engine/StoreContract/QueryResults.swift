package import ObjectModel

/// A result in sections: objects with the same key. Sections are in the order of their first object in the result, the
/// objects of a section in the result's order.
package struct SectionedKeys: Hashable, Sendable {
    package struct Section: Hashable, Sendable {
        package var key: Value
        /// The positions of its objects in `keys`.
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

/// The aggregates of the objects with equal values of the key paths that the result is grouped by.
package struct AggregateGroup: Hashable, Sendable {
    /// One value for each key path; null also where a link on the path is null.
    package var key: [Value]
    package var count: Int
    /// The aggregates in the order of the request.
    package var results: [Value]

    package init(key: [Value], count: Int, results: [Value]) {
        self.key = key
        self.count = count
        self.results = results
    }
}

/// The groups that an answer does not list.
package struct OtherGroups: Hashable, Sendable {
    package var groups = 0
    /// The number of their objects.
    package var count = 0

    package init(groups: Int = 0, count: Int = 0) {
        self.groups = groups
        self.count = count
    }
}

/// How a store runs a query, for people: the plan, and the measurements of each of its parts when it was executed.
package struct QueryExplanation: Hashable, Sendable {
    package struct Part: Hashable, Sendable {
        /// A description of the part.
        package var words: String
        /// The number of objects that it received and the number that it kept; nil when the query was not executed.
        package var rowsIn: Int?
        package var rowsOut: Int?
        /// Clusters whose values it read, and those that it decided by their headers alone.
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
    /// The number of objects in the result, and the total time; nil when the query was not executed.
    package var count: Int?
    package var nanoseconds: Int?

    package init(_ root: Part, count: Int? = nil, nanoseconds: Int? = nil) {
        self.root = root
        self.count = count
        self.nanoseconds = nanoseconds
    }
}
