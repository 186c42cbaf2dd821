public import Foundation
import EmbeddedStore
import ObjectModel
import StoreContract

extension Realm {
    /// Writes a compact copy of the realm, including the changes of an open write transaction. Throws `Realm.Error` if
    /// the file exists.
    ///
    /// Cost: proportional to the file's size; within a write transaction, objects are copied one by one. Encryption is
    /// not supported: a key throws `Realm.Error`, too.
    public func writeCopy(toFile fileURL: URL, encryptionKey: Data? = nil) throws {
        try writeCopy(configuration: Configuration(fileURL: fileURL, encryptionKey: encryptionKey))
    }

    /// Calls `writeCopy(toFile:)` with the configuration's file.
    public func writeCopy(configuration: Configuration) throws {
        trapOnError { try rlm.checkConfinement() }
        let path = try fileErrors { try configuration.path }
        guard !FileManager.default.fileExists(atPath: path) else {
            throw Error(.fileExists, "File at path '\(path)' already exists.", path: path)
        }
        try fileErrors { try SharedRealmFile.refuseEncryption(path, configuration) }
        guard let file = rlm.file else { stop(RealmException("Not allowed within a migration.")) }
        do {
            if let transaction = rlm.transaction {
                try TransactionCopy.write(transaction, to: path, maximumSize: SharedRealmFile.maximumSize)
            } else {
                try file.store.writeCopy(to: path)
            }
        } catch let error as StoreError {
            throw Error(error, path: path)
        }
    }

    /// Whether the configuration's file exists; false for a URL that is not one of a file.
    public static func fileExists(for configuration: Configuration) -> Bool {
        guard configuration.fileURL?.isFileURL != false else { return false }
        return FileManager.default.fileExists(atPath: trapOnError { try configuration.path })
    }

    /// Deletes the configuration's file and its auxiliary files. Returns whether the file existed. Throws `alreadyOpen`
    /// while the file is open anywhere in the process.
    public static func deleteFiles(for configuration: Configuration) throws -> Bool {
        let path = try fileErrors { try configuration.path }
        guard !SharedRealmFile.isInUse(path) else {
            throw Error(
                .alreadyOpen, "Realm at path '\(path)' is open. Close it before deleting its files.", path: path)
        }
        return SharedRealmFile.remove(path)
    }

    /// Opens and closes the configuration's realm, which runs its migration. Traps if it is open already.
    public static func performMigration(for configuration: Configuration = .defaultConfiguration) throws {
        let path = try fileErrors { try configuration.path }
        guard !SharedRealmFile.isOpen(path) else {
            stop(RealmException("Cannot migrate Realms that are already open."))
        }
        _ = try fileErrors { try SharedRealmFile.open(configuration) }
    }
}

/// Returns the schema version of a realm's file. Throws `Realm.Error`: `invalidDatabase` if the file does not exist, as
/// Realm does, if it is not a file of this library, or if a key is given, because encryption is not supported.
public func schemaVersionAtURL(_ fileURL: URL, encryptionKey: Data? = nil) throws -> UInt64 {
    try fileErrors {
        try SharedRealmFile.refuseEncryption(
            fileURL.path, Realm.Configuration(fileURL: fileURL, encryptionKey: encryptionKey))
    }
    guard FileManager.default.fileExists(atPath: fileURL.path) else {
        throw Realm.Error(
            .invalidDatabase, "Realm at path '\(fileURL.path)' has not been initialized.", fileURL: fileURL)
    }
    do {
        if let file = SharedRealmFile.known(fileURL.standardizedFileURL.path) {
            return try file.store.snapshot().schema.version
        }
        let copy = try UnwritableFile.copy(of: fileURL.path)
        defer { if let copy { SharedRealmFile.remove(copy) } }
        let store = try EmbeddedStore.open(path: copy ?? fileURL.path)
        defer { store.close() }
        return try store.snapshot().schema.version
    } catch let error as StoreError {
        throw Realm.Error(error, path: fileURL.path)
    }
}
