import ObjectModel
import StoreContract

/// The images of a log, and its floor.
extension CommitLogConformance {
    /// Uploads so many bytes, which depend on the version.
    private static func upload(_ count: Int, at position: LogPosition, to log: any CommitLog) throws -> LogImage {
        var rest = content(count, position.version)[...]
        return try log.uploadImage(at: position, fileFormat: 3) { most in
            let piece = Array(rest.prefix(min(most, 100_000)))
            rest = rest.dropFirst(piece.count)
            return piece
        }
    }

    private static func content(_ count: Int, _ version: Version) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ Int(version.rawValue) &+ $0 >> 9) }
    }

    @Sendable static func images(_ realm: Realm) throws {
        let (log, other) = (try realm(), try realm())
        defer {
            log.close()
            other.close()
        }
        try require(try log.images() == [], "a new log has images")
        var made: [LogImage] = []
        for (version, count) in [(5, 0), (9, 1), (7, 2_500_000), (7, 3000)] {
            let position = LogPosition(Version(UInt64(version)), .another())
            let image = try upload(count, at: position, to: log)
            try require(image.position == position && image.bytes == Int64(count), "an image has another place or size")
            try require(image.isComplete && image.fileFormat == 3, "an image is not complete")
            made.removeAll { $0.position.version == position.version }
            made.append(image)
            made.sort { $0.position.version > $1.position.version }
            try require(try other.images() == made, "the images are not those that were made, newest first")
            var bytes: [UInt8] = []
            try other.downloadImage(image) { bytes += $0 }
            try require(bytes == content(count, position.version), "an image of \(count) bytes came back otherwise")
        }
        try other.deleteImages(keeping: 2)
        try require(try log.images() == Array(made.prefix(2)), "not the newest images were kept")
    }

    @Sendable static func imageLease(_ realm: Realm) throws {
        let (log, other) = (try realm(), try realm())
        defer {
            log.close()
            other.close()
        }
        let (first, second) = ([UInt8](repeating: 1, count: 16), [UInt8](repeating: 2, count: 16))
        try require(try log.claimImage(by: first) && log.claimImage(by: first), "a free right is not given or renewed")
        try require(try !other.claimImage(by: second), "two stores may make an image")
        try other.releaseImage(by: second)
        try require(try !other.claimImage(by: second), "a store released the right of another")
        try log.releaseImage(by: first)
        try require(try other.claimImage(by: second), "a released right is not given")
    }

    @Sendable static func trimming(_ realm: Realm) throws {
        let log = try realm()
        defer { log.close() }
        let tag = HistoryTag.another()
        let bodies = (0..<20).map { _ in [UInt8](repeating: 7, count: 100) }
        try require(try log.append(bodies, after: .start, tag: tag) == .appended, "an append was superseded")
        try require(try log.floor() == Version(1), "a new log has a floor")
        let all = try log.entryBytes(after: Version(1))
        try require(try all >= 2000 && log.entryBytes(after: Version(11)) * 2 == all, "sizes of entries are wrong")
        _ = try upload(10, at: LogPosition(Version(8), tag), to: log)
        try log.trim(keepingSeconds: 0)
        try require(try log.floor() == Version(1), "a log with one image was trimmed")
        _ = try upload(10, at: LogPosition(Version(15), tag), to: log)
        try require(try log.trim(keepingSeconds: 0) == 7, "not the entries up to the second newest image were deleted")
        try require(try log.floor() == Version(8), "the floor is not the second newest image")
        try require(try history(log, after: Version(8)).count == 13, "entries above the floor are missing")
        do {
            _ = try log.entries(after: Version(7))
            throw ConformanceFailure("entries below the floor were returned")
        } catch let error as StoreError where error.code == .versionGone {}
    }
}
