package import ObjectModel

/// The findings of a check of a whole file of a store, such as a backup.
package struct CopyReport: Hashable, Sendable {
    package struct Class: Hashable, Sendable {
        package var name: String
        package var isEmbedded: Bool
        /// The number of its objects.
        package var count: Int

        package init(name: String, isEmbedded: Bool, count: Int) {
            self.name = name
            self.isEmbedded = isEmbedded
            self.count = count
        }
    }

    /// The faults, as sentences for a person, worst first; there may be more.
    package var faults: [String] = []
    /// The newest version; nil when the file is too damaged to read it.
    package var version: Version?
    package var schemaVersion: UInt64?
    /// In the order of the schema.
    package var classes: [Class] = []
    package var objects = 0
    /// Entries in indexes, full-text indexes and backlinks.
    package var entries = 0
    /// Pages that only a compaction recovers: harmless.
    package var leakedPages = 0

    package init() {}
}
