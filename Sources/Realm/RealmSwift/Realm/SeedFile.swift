import EmbeddedStore
import Foundation
import RealmFiles
import RealmImport
import StoreContract

/// The file that a realm begins with.
struct SeedFile {
    let path: String
    /// That of an encrypted file of Realm.
    let key: RealmFileKey?

    /// For how long a program waits for another one that imports the same seed for the same realm.
    private static let patience = Duration.seconds(60)

    /// Makes a file of it where none is: a copy, or, of a file of Realm, an import. An encrypted one without a key is
    /// copied, too, and refused when the copy is opened, because it cannot be told from any other file. Throws
    /// `Realm.Error`; then there is no file.
    ///
    /// - Returns: false if another program has made the file meanwhile.
    func plant(at destination: String) throws -> Bool {
        guard key != nil || RealmFile.isPlain(path: path) else {
            try copy(to: destination)
            return true
        }
        do {
            let file = try RealmFile(path: path, key: key)
            let classes = try RealmClasses(file)
            let start = ContinuousClock.now
            while true {
                do {
                    // Other programs see the file when all objects are in it.
                    try EmbeddedStore.make(path: destination) { store in
                        _ = try RealmImporter(file, classes, into: store).run()
                    }
                    return true
                } catch let error as StoreError where error.code == .fileAccess && Self.isThere(destination) {
                    return false
                } catch let error as StoreError
                    where error.code == .busy && ContinuousClock.now - start < Self.patience
                {
                    usleep(5_000)
                }
            }
        } catch let fault as RealmFileError {
            throw Realm.Error(
                fault.code, "The seed file '\(path)' cannot be imported: \(fault.message)", path: destination)
        } catch let fault as RealmImportError {
            throw Realm.Error(
                .invalidDatabase,
                "The seed file '\(path)' cannot be imported: \(fault.message)\nImport it with the program, `realmgate import FILE`, whose options these are, and seed the realm with the result.",
                path: destination)
        } catch let error as StoreError {
            throw Realm.Error(error, path: destination)
        }
    }

    private func copy(to destination: String) throws {
        // Of a symbolic link, what it leads to: a realm that is a link to its seed would write into it.
        let source = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        do {
            let kind = try FileManager.default.attributesOfItem(atPath: source)[.type] as? FileAttributeType
            guard kind == .typeRegular else {
                throw Realm.Error(.fileOperationFailed, "The seed file '\(path)' is not a file.", path: destination)
            }
            try FileManager.default.copyItem(atPath: source, toPath: destination)
        } catch let error where !(error is Realm.Error) {
            throw Realm.Error(
                .fileOperationFailed, "The seed file '\(path)' could not be copied: \(error)", path: destination)
        }
    }

    private static func isThere(_ destination: String) -> Bool { FileManager.default.fileExists(atPath: destination) }
}

extension RealmFileError {
    fileprivate var code: Realm.Error.Code {
        switch self {
        case .notRealm, .wrongKey, .damaged, .tooLarge: .invalidDatabase
        case .unsupportedFormat: .unsupportedFileFormatVersion
        case .inUse, .unreadable: .fileOperationFailed
        }
    }
}
