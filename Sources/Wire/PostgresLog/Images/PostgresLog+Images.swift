import Cryptography
import Dispatch
package import ObjectModel
package import StoreContract
import Synchronization

extension PostgresLog {
    /// The bytes of a part of an image, before it is compressed.
    package static let imagePartSize = 1 << 20
    /// The parts that are sent in one transaction.
    private static let partsAtOnce = 8

    /// The images of the realm, newest first, with those whose upload has not ended. Cost: one round trip.
    package func images() throws -> [LogImage] {
        try call { connection, deadline throws(PostgresError) in
            let rows = try connection.run([StatementCall(.listImages, .int64(id))], by: deadline).rows[0]
            var images: [LogImage] = []
            for row in 0..<rows.count {
                images.append(
                    LogImage(
                        position: try LogPosition(rows, row: row), parts: Int(try rows.int32(row, 2)),
                        bytes: try rows.int64(row, 3), sha256: try rows.bytes(row, 4),
                        fileFormat: try rows.int32(row, 5), isComplete: try rows.bool(row, 6)))
            }
            return images
        }
    }

    /// Gets the right to make an image, for ten minutes or until `releaseImage`; the same caller renews it. Returns
    /// false while another store has it. Cost: one round trip.
    ///
    /// - Parameter store: 16 bytes that name the caller.
    package func claimImage(by store: [UInt8]) throws -> Bool {
        try call { connection, deadline throws(PostgresError) in
            try connection.run([StatementCall(.claimImage, .int64(id), .uuid(store))], by: deadline)
                .rows[0].affected == 1
        }
    }

    package func releaseImage(by store: [UInt8]) throws {
        try call { connection, deadline throws(PostgresError) in
            _ = try connection.run([StatementCall(.releaseImage, .int64(id), .uuid(store))], by: deadline)
        }
    }

    /// The bytes of the log's entries after `version`, as they are stored. Cost: one round trip.
    package func entryBytes(after version: Version) throws -> Int64 {
        try call { connection, deadline throws(PostgresError) in
            try connection.run([StatementCall(.sumEntries, .int64(id), .int64(version.column))], by: deadline)
                .rows[0].int64(0, 0)
        }
    }

    package func floor() throws -> Version {
        let floor = try call { connection, deadline throws(PostgresError) in
            let rows = try connection.run([StatementCall(.readFloor, .int64(id))], by: deadline).rows[0]
            return rows.count == 0 ? Version?.none : Version(column: try rows.int64(0, 0))
        }
        guard let floor else { throw StoreError.missingRealm(realm.text) }
        return floor
    }

    /// Uploads an image, in place of an unfinished or older one of the same version, and completes it. For whoever has
    /// claimed it; images of others are not touched. Memory: eight parts.
    ///
    /// - Parameter read: returns the file's next bytes, up to the number that it is given; none at the end.
    package func uploadImage(
        at position: LogPosition, fileFormat: Int32, _ read: (_ most: Int) throws -> [UInt8]
    ) throws -> LogImage {
        let image = try send(at: position, fileFormat: fileFormat, read)
        try call { connection, deadline throws(PostgresError) in
            _ = try connection.run([StatementCall(.completeImage, image.completion(of: id))], by: deadline)
        }
        return image
    }

    /// Uploads an image that is not complete yet, and returns it as it will be.
    func send(
        at position: LogPosition, fileFormat: Int32, _ read: (_ most: Int) throws -> [UInt8]
    ) throws -> LogImage {
        try deleteImage(position.version)
        try call { connection, deadline throws(PostgresError) in
            do throws(PostgresError) {
                _ = try connection.run(
                    [
                        StatementCall(
                            .beginImage, .int64(id), .int64(position.version.column), .int64(position.tag.column),
                            .int32(fileFormat))
                    ], by: deadline)
            } catch {
                // A repetition finds the row of an attempt whose answer was lost.
                guard case .refused(.uniqueViolation, _) = error else { throw error }
            }
        }
        var hash = SHA256()
        var bytes: Int64 = 0
        var count = 0
        while true {
            var parts: [[UInt8]] = []
            while parts.count < Self.partsAtOnce {
                let part = try Self.fill(read)
                if !part.isEmpty { parts.append(part) }
                if part.count < Self.imagePartSize { break }
            }
            for part in parts {
                hash.update(part)
                bytes += Int64(part.count)
            }
            if !parts.isEmpty { try send(parts.map(LogBody.encode), from: count, of: position.version) }
            count += parts.count
            if parts.count < Self.partsAtOnce || (parts.last?.count ?? 0) < Self.imagePartSize { break }
        }
        let sum = hash.finalize()
        return LogImage(
            position: position, parts: count, bytes: bytes, sha256: sum, fileFormat: fileFormat, isComplete: true)
    }

    /// A whole part, or what is left of the file.
    private static func fill(_ read: (Int) throws -> [UInt8]) throws -> [UInt8] {
        var part: [UInt8] = []
        while part.count < imagePartSize {
            let piece = try read(imagePartSize - part.count)
            if piece.isEmpty { break }
            part += piece
        }
        return part
    }

    private func send(_ parts: [[UInt8]], from first: Int, of version: Version) throws {
        let numbers = parts.indices.map { Int32(first + $0) }
        try call { connection, deadline throws(PostgresError) in
            do throws(PostgresError) {
                _ = try connection.run(
                    [
                        StatementCall(
                            .insertImageParts, .int64(id), .int64(version.column), .int32Array(numbers),
                            .bytesArray(parts))
                    ], by: deadline)
            } catch {
                // As above: the parts of one transaction are there together or not at all.
                guard case .refused(.uniqueViolation, _) = error else { throw error }
            }
        }
    }

    /// Downloads a complete image in order and checks its size and hash at the end: use nothing of it before this
    /// returns. Throws `logDamaged` when parts are missing or changed, and the errors of `write`. Memory: sixteen parts.
    package func downloadImage(_ image: LogImage, _ write: ([UInt8]) throws -> Void) throws {
        var hash = SHA256()
        var bytes: Int64 = 0
        var next = 0
        var coming = Meanwhile { [self] in try parts(of: image, from: 0) }
        while next < image.parts {
            let parts = try coming.get()
            guard !parts.isEmpty else { throw damaged(image, "part \(next) is missing.") }
            let number = next
            next += parts.count
            if next < image.parts {
                // The server reads and sends these while the others are expanded and written.
                let first = next
                coming = Meanwhile { [self] in try self.parts(of: image, from: first) }
            }
            for (offset, part) in parts.enumerated() {
                guard let part = LogBody.decode(part, limit: Self.imagePartSize) else {
                    throw damaged(image, "part \(number + offset) cannot be decompressed.")
                }
                hash.update(part)
                bytes += Int64(part.count)
                try write(part)
            }
        }
        guard next == image.parts, bytes == image.bytes, hash.finalize() == image.sha256 else {
            throw damaged(image, "its bytes do not have the hash that they were stored with.")
        }
    }

    /// Some parts as they are stored, from one on; none where it is missing. Cost: one round trip.
    private func parts(of image: LogImage, from first: Int) throws -> [[UInt8]] {
        guard first < image.parts else { return [] }
        return try call { connection, deadline throws(PostgresError) in
            let rows = try connection.run(
                [
                    StatementCall(
                        .readImageParts, .int64(id), .int64(image.position.version.column),
                        .int32(Int32(first)), .int64(Int64(Self.partsAtOnce)))
                ], by: deadline
            ).rows[0]
            var parts: [[UInt8]] = []
            for row in 0..<rows.count where try rows.int32(row, 0) == Int32(first + row) {
                parts.append(try rows.bytes(row, 1))
            }
            return parts
        }
    }

    func damaged(_ image: LogImage, _ text: String) -> StoreError {
        StoreError(
            .logDamaged,
            "The image of version \(image.position.version) of realm '\(realm)' in PostgreSQL is damaged: \(text) Use an older image, or make a new one."
        )
    }

    /// Deletes an image, parts and all. Cost: one round trip.
    package func deleteImage(_ version: Version) throws {
        try call { connection, deadline throws(PostgresError) in
            _ = try connection.run(
                [
                    StatementCall(.deleteImage, .int64(id), .int64(version.column)),
                    StatementCall(.deleteImageParts, .int64(id), .int64(version.column)),
                ], by: deadline)
        }
    }

    /// Deletes all images but the newest complete ones.
    package func deleteImages(keeping count: Int = retainedImages) throws {
        let images = try images()
        let retained = Set(images.filter(\.isComplete).prefix(count).map(\.position.version))
        for image in images where !retained.contains(image.position.version) { try deleteImage(image.position.version) }
    }
}

/// A call that runs on another thread meanwhile.
private final class Meanwhile<Value: Sendable>: Sendable {
    private let outcome = Mutex<Result<Value, any Error>?>(nil)
    private let isDone = DispatchSemaphore(value: 0)

    init(_ body: @escaping @Sendable () throws -> Value) {
        DispatchQueue.global().async { [self] in
            let result = Result { try body() }
            outcome.withLock { $0 = result }
            isDone.signal()
        }
    }

    /// Waits for its end. Once.
    func get() throws -> Value {
        while true {
            isDone.wait()
            if let result = outcome.withLock({ $0 }) { return try result.get() }
        }
    }
}

extension LogImage {
    /// The parameters of the statements that complete it.
    func completion(of realm: Int64) -> [PostgresParameter] {
        [.int64(realm), .int64(position.version.column), .int32(Int32(parts)), .int64(bytes), .bytes(sha256)]
    }
}
