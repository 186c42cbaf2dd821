import ArgumentParser
import EmbeddedStore
import StoreContract

/// `realmgate compact`: frees unused space.
struct Compact: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Rewrite a database file without unused space.",
        discussion: """
            A database file never shrinks by itself: later writes reuse the space of deleted and replaced data. This \
            command writes a compact copy in the same directory, and then replaces the file by it. It needs disk space \
            for the copy, and no server or other program may have the database open. If it is interrupted, the file is \
            either unchanged or compacted.

            Example:

              realmgate compact shop.realmgate
            """)

    @Argument(help: "The database file.", completion: .file())
    var file: String

    func run() throws {
        let store = try DatabaseFile.open(file)
        defer { store.close() }
        let progress = FileProgress("\(file)", of: try store.sizes().usedBytes)
        let (before, after) = try store.compact { progress.show($0) }
        progress.finish("\(file): \(grouped(before)) bytes before, \(grouped(after)) now")
    }
}
