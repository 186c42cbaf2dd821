/// What a store file takes on the disk, in bytes.
package struct FileSizes: Hashable, Sendable {
    /// The length of the file.
    package var totalBytes: Int
    /// What data, trees and bookkeeping take; about what a compacted copy has.
    package var usedBytes: Int
    /// Of earlier versions, to be used again by later writes as soon as nobody reads those versions any more.
    package var freeBytes: Int
}
