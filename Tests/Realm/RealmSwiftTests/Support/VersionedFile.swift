import Foundation
import RealmSwift

/// The file of a realm that a test opens with one schema after another, removed with the last reference.
final class VersionedFile: Sendable {
    let url: URL

    init() { url = FileManager.default.temporaryDirectory.appending(path: "versioned-\(UUID().uuidString).realm") }

    deinit { _ = try? Realm.deleteFiles(for: Realm.Configuration(fileURL: url)) }

    func configuration(
        _ types: [ObjectBase.Type], version: UInt64 = 0, isReadOnly: Bool = false, _ block: MigrationBlock? = nil
    ) -> Realm.Configuration {
        Realm.Configuration(
            fileURL: url, readOnly: isReadOnly, schemaVersion: version, migrationBlock: block, objectTypes: types)
    }

    /// Opens the realm for the calling thread.
    func open(
        _ types: [ObjectBase.Type], version: UInt64 = 0, isReadOnly: Bool = false, _ block: MigrationBlock? = nil
    ) throws -> Realm {
        try Realm(configuration: configuration(types, version: version, isReadOnly: isReadOnly, block))
    }

    /// The version of the schema that the file has.
    var version: UInt64 { get throws { try schemaVersionAtURL(url) } }
}
