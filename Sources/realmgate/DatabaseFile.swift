import EmbeddedStore
import Hosting

/// Opens a database that must be there already.
enum DatabaseFile {
    static func open(_ path: String) throws -> EmbeddedStore {
        guard InstalledFiles.isFile(path) else { throw CommandFailure("There is no database file '\(path)'.") }
        return try EmbeddedStore.open(path: path, options: .roomy)
    }
}
