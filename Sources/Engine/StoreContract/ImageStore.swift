package import ObjectModel

/// The images of a log: copies of a store's file, from which other stores begin instead of reading the whole log, and
/// which make the older part of the log unnecessary.
///
/// Methods block. Errors are those of `CommitLog`.
package protocol ImageStore: AnyObject, Sendable {
    /// The images, newest first, with those whose upload has not ended. Cost: one round trip.
    func images() throws -> [LogImage]

    /// Uploads an image, in place of an unfinished or older one of the same version, and completes it. For whoever has
    /// claimed it. Memory: a few MiB.
    ///
    /// - Parameter read: returns the file's next bytes, up to the number that it is given; none at the end.
    func uploadImage(
        at position: LogPosition, fileFormat: Int32, _ read: (_ most: Int) throws -> [UInt8]
    ) throws -> LogImage

    /// Downloads a complete image in order and checks its size and hash at the end: use nothing of it before this
    /// returns. Throws `logDamaged` when parts are missing or changed, and the errors of `write`.
    func downloadImage(_ image: LogImage, _ write: ([UInt8]) throws -> Void) throws

    /// Deletes all images but the newest complete ones.
    func deleteImages(keeping count: Int) throws

    /// Gets the right to make an image, for ten minutes or until `releaseImage`; the same caller renews it. Returns
    /// false while another store has it. Cost: one round trip.
    ///
    /// - Parameter store: 16 bytes that name the caller.
    func claimImage(by store: [UInt8]) throws -> Bool

    func releaseImage(by store: [UInt8]) throws

    /// The bytes of the log's entries after `version`. Cost: one round trip, and a look at each of these entries.
    func entryBytes(after version: Version) throws -> Int64

    /// The version below which the log has no entries, whatever is left of them. Cost: one round trip.
    func floor() throws -> Version

    /// Deletes entries that nobody needs: those up to the second newest image, older than `seconds`, and applied by all
    /// stores that are in use. Returns the number of versions that were removed.
    @discardableResult
    func trim(keepingSeconds seconds: Int64) throws -> Int64
}

extension ImageStore {
    /// The images that are kept: the newest, and one for when it turns out to be damaged.
    package static var retainedImages: Int { 2 }

    /// Whether the log above the newest image is so long that a new image pays: longer than that image, and than
    /// `least` bytes.
    package func isImageDue(least: Int64 = LogImage.defaultLeast) throws -> Bool {
        let newest = try images().first { $0.isComplete }
        let bytes = try entryBytes(after: newest?.position.version ?? LogPosition.start.version)
        return bytes > max(newest?.bytes ?? 0, least)
    }
}

/// A copy of a store's file beside a log.
package struct LogImage: Hashable, Sendable {
    /// The bytes of the log from which on a new image pays, unless a setting says otherwise.
    package static let defaultLeast: Int64 = 64 << 20

    /// The version that the file is at, and its tag.
    package let position: LogPosition
    package let parts: Int
    package let bytes: Int64
    package let sha256: [UInt8]
    package let fileFormat: Int32
    /// Whether the upload ended. Stores begin from complete images only.
    package let isComplete: Bool

    package init(
        position: LogPosition, parts: Int, bytes: Int64, sha256: [UInt8], fileFormat: Int32, isComplete: Bool
    ) {
        self.position = position
        self.parts = parts
        self.bytes = bytes
        self.sha256 = sha256
        self.fileFormat = fileFormat
        self.isComplete = isComplete
    }
}
