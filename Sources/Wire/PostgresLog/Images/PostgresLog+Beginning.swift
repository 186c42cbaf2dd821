import ObjectModel
package import StoreContract

extension PostgresLog {
    /// Makes a realm that begins with an image. The realm is there when all of the image is.
    ///
    /// Throws `LogConfigurationFault` when it exists, and the errors of `LogDirectory.create` and `uploadImage`.
    ///
    /// - Parameter upload: uploads the image to the log that it is given.
    package static func publish(
        _ realm: RealmName, in directory: LogDirectory, _ upload: (PostgresLog) throws -> LogImage
    ) throws -> LogImage {
        guard try !directory.has(realm) else { throw directory.exists(realm) }
        let id = LogDirectory.newID()
        let log = PostgresLog(directory, realm, id: id)
        var version: Version?
        do {
            let image = try upload(log)
            version = image.place.version
            try directory.create(realm, at: image.place, id: id)
            return image
        } catch {
            // Without its realm nobody would ever delete it.
            if let version = try version ?? log.images().first?.place.version { try? log.deleteImage(version) }
            throw error
        }
    }

    /// Uploads an image at a version that the log does not have yet, and makes the log begin again there: all its
    /// entries and other images are of a history that has ended, and are deleted. Stores of the realm find that their
    /// version is gone.
    ///
    /// Throws `busy`, with nothing changed, when the log has reached that version meanwhile.
    package func restart(
        at place: LogPlace, fileFormat: Int32, _ read: (_ most: Int) throws -> [UInt8]
    ) throws -> LogImage {
        let image = try send(at: place, fileFormat: fileFormat, read)
        try call { connection, deadline throws(PostgresFailure) in
            _ = try connection.run(
                [
                    StatementCall(
                        .restartRealm, .int64(id), .int64(place.version.column), .int64(place.tag.column)),
                    StatementCall(.completeFirstImage, image.completion(of: id) + [.int64(place.tag.column)]),
                ], by: deadline)
        }
        guard try images().contains(image) else {
            try deleteImage(place.version)
            throw StoreError(
                .busy,
                "The realm '\(realm)' was written to so much that it has version \(place.version) already. Nothing was restored. Stop the gateways, and try again."
            )
        }
        for other in try images() where other.place != place { try deleteImage(other.place.version) }
        try trim(keepingSeconds: 0)
        return image
    }
}
