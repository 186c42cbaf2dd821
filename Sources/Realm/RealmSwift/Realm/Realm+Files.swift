public import Foundation
import EmbeddedStore
import ObjectModel
import StoreContract

extension Realm {
    /// Writes a compact copy of the realm as it is, also what the open write transaction has done. Throws `Realm.Error`
    /// when the file exists.
    ///
    /// Cost: the file is copied; within a write transaction, object by object. Copies cannot be encrypted: with a key it
    /// throws, too.
    public func writeCopy(toFile fileURL: URL, encryptionKey: Data? = nil) throws {
        try writeCopy(configuration: Configuration(fileURL: fileURL, encryptionKey: encryptionKey))
    }

    /// `writeCopy(toFile:)` to the configuration's file.
    public func writeCopy(configuration: Configuration) throws {
        let path = raising { try configuration.path }
        guard !FileManager.default.fileExists(atPath: path) else {
            throw Error(.fileExists, "File at path '\(path)' already exists.", path: path)
        }
        try fileErrors { try RealmFile.refuseEncryption(path, configuration) }
        guard let file = rlm.file else { stop(RealmException("Not allowed within a migration.")) }
        do {
            if let transaction = rlm.transaction {
                try TransactionCopy.write(transaction, to: path, maximumSize: RealmFile.maximumSize)
            } else {
                try file.store.writeCopy(to: path)
            }
        } catch let error as StoreError {
            throw Error(error, path: path)
        }
    }

    /// Whether the configuration's file is there.
    public static func fileExists(for configuration: Configuration) -> Bool {
        FileManager.default.fileExists(atPath: raising { try configuration.path })
    }

    /// Deletes the configuration's file and what lies beside it. Says whether there was one. Throws `alreadyOpen` while
    /// it is open anywhere in the process.
    public static func deleteFiles(for configuration: Configuration) throws -> Bool {
        let path = raising { try configuration.path }
        guard !RealmFile.isOpen(path) else {
            throw Error(
                .alreadyOpen, "Realm at path '\(path)' is open. Close it before deleting its files.", path: path)
        }
        return RealmFile.remove(path)
    }

    /// Opens the configuration's realm, which runs its migration, and closes it. Traps when it is open already.
    public static func performMigration(for configuration: Configuration = .defaultConfiguration) throws {
        let path = raising { try configuration.path }
        guard !RealmFile.isOpen(path) else {
            stop(RealmException("Cannot migrate Realms that are already open."))
        }
        _ = try fileErrors { try RealmFile.open(configuration) }
    }
}

/// The schema version of a realm's file. Throws `Realm.Error`: `invalidDatabase` when there is no such file, as Realm does,
/// and also when it is none of ours, or a key is given, as files are not encrypted.
public func schemaVersionAtURL(_ fileURL: URL, encryptionKey: Data? = nil) throws -> UInt64 {
    try fileErrors {
        try RealmFile.refuseEncryption(
            fileURL.path, Realm.Configuration(fileURL: fileURL, encryptionKey: encryptionKey))
    }
    guard FileManager.default.fileExists(atPath: fileURL.path) else {
        throw Realm.Error(
            .invalidDatabase, "Realm at path '\(fileURL.path)' has not been initialized.", fileURL: fileURL)
    }
    do {
        if let file = RealmFile.known(fileURL.standardizedFileURL.path) {
            return try file.store.snapshot().schema.version
        }
        let copy = try UnwritableFile.copy(of: fileURL.path)
        defer { if let copy { RealmFile.remove(copy) } }
        let store = try EmbeddedStore.open(path: copy ?? fileURL.path)
        defer { store.close() }
        return try store.snapshot().schema.version
    } catch let error as StoreError {
        throw Realm.Error(error, path: fileURL.path)
    }
}
