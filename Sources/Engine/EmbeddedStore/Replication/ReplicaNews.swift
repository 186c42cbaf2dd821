package import ObjectModel
package import StoreContract

/// A notice for people about the start of a replica.
package enum ReplicaNews: Sendable {
    /// The replica's file cannot be used. It is deleted, and a new one is made.
    case discarded(path: String, reason: String)
    /// The replica's file is damaged. It has another name now, and a new one is made.
    case setAside(path: String, reason: String)
    /// The image cannot be used; the one before it is tried.
    case unusableImage(LogImage, reason: String)
    /// So many bytes of the image are here. Often.
    case fetching(LogImage, bytes: Int64)
    /// The replica was made from this image.
    case fetched(LogImage)
    /// The replica has this version, and the log had that one at the start. After each page of the log.
    case applied(Version, of: Version)
}
