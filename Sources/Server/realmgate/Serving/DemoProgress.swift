import StoreContract
import Transfer

/// Loads the demo when a server starts, and reports on standard error.
enum DemoProgress {
    static func load(_ directory: String, into store: any Store) throws {
        var line = ProgressLine(of: nil)
        let isLoaded = try DemoLoader(directory: directory, store: store).run { done in
            if done.isComplete {
                line.finish()
                StandardError.write("Loaded the demo: \(grouped(done.created)) objects of \(done.className).\n")
            } else {
                line.show("Loading the demo: \(grouped(done.created)) objects of \(done.className)", at: done.bytes)
            }
        }
        if !isLoaded {
            StandardError.write("The database has classes of its own, so the demo was not loaded into it.\n")
        }
    }
}
