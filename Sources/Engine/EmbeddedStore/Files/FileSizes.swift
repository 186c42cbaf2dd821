/// The size of a store file, in bytes.
package struct FileSizes: Hashable, Sendable {
    /// The length of the file.
    package var totalBytes: Int
    /// The size of data, trees and bookkeeping; about that of a compacted copy.
    package var usedBytes: Int
    /// The space of earlier versions, which later writes reuse as soon as nobody reads those versions.
    package var freeBytes: Int
}
