import EmbeddedStore
import Foundation
import RealmFiles
import RealmImport
import StoreContract

/// The file that a realm begins with.
struct SeedFile {
    let path: String

    /// Makes a file of it where none is: a copy, or, of a file of Realm, an import. An encrypted one is copied, too, and
    /// refused when the copy is opened, because it cannot be told from any other file. Throws `Realm.Error`; then there is no file.
    func plant(at place: String) throws {
        guard RealmFiles.RealmFile.isPlain(path: path) else {
            do {
                try FileManager.default.copyItem(atPath: path, toPath: place)
            } catch {
                throw Realm.Error(
                    .fileOperationFailed, "The seed file '\(path)' could not be copied: \(error)", path: place)
            }
            return
        }
        do {
            let file = try RealmFiles.RealmFile(path: path)
            let classes = try RealmClasses(file)
            // Other programs see the file when all objects are in it.
            try EmbeddedStore.make(path: place) { store in _ = try RealmImporter(file, classes, into: store).run() }
        } catch let fault as RealmFileFault {
            throw Realm.Error(fault.code, "The seed file '\(path)' cannot be imported: \(fault.message)", path: place)
        } catch let fault as RealmImportFault {
            throw Realm.Error(
                .invalidDatabase,
                "The seed file '\(path)' cannot be imported: \(fault.message)\nImport it with the program, `realmgate import FILE`, whose options these are, and seed the realm with the result.",
                path: place)
        } catch let error as StoreError {
            throw Realm.Error(error, path: place)
        }
    }
}

extension RealmFileFault {
    fileprivate var code: Realm.Error.Code {
        switch self {
        case .notRealm, .wrongKey, .damaged, .tooLarge: .invalidDatabase
        case .unsupportedFormat: .unsupportedFileFormatVersion
        case .inUse, .unreadable: .fileOperationFailed
        }
    }
}
