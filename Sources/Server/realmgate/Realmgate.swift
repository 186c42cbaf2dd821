import ArgumentParser
import CStamp
import Glibc
import Hosting
import StoreContract

/// The program: parses the arguments, runs the command, and reports an error as one sentence.
@main
struct Realmgate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "realmgate",
        abstract: "An object database with live queries over HTTP.",
        discussion: """
            The objects of your classes are stored in one file. `realmgate serve` provides them over HTTP: create, read, \
            change and delete objects as JSON, query them with a predicate such as \
            `delay > 60 AND origin.state == "NY"`, and observe a query's result as it changes.

            To try it with sample data:

              realmgate demo

            Every option can also be given as an environment variable: `--data FILE` is REALMGATE_DATA, `--log-level` \
            is REALMGATE_LOG_LEVEL, and so on. An option takes precedence over the variable, the variable over the \
            configuration file of `serve` and `token`, and the file over the default.
            """,
        version: "\(version) (\(commit.map { "commit \($0)" } ?? "development"))",
        subcommands: [
            Serve.self, Demo.self, Query.self, Import.self, Export.self, SchemaCommand.self, TypesCommand.self,
            ToolsCommand.self,
            Backup.self, Restore.self,
            Compact.self, Check.self, TokenCommand.self, Health.self, Setup.self,
            Status.self, Publish.self, ImageCommand.self, Project.self,
        ])

    static let version = GatewayHost.version

    /// The commit that the program was built from, which `packaging/stamp` writes into a release; nil for other builds.
    static let commit: String? = {
        var text = [CChar](repeating: 0, count: Int(CSTAMP_SIZE))
        cstamp_copy(&text)
        let commit = text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
        return commit.isEmpty ? nil : commit
    }()

    static func main() {
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch {
            if let failure = CommandError(error) {
                fail(failure.message.printable(keepsLines: true), failure.exitCode)
            }
            // Errors of ArgumentParser, and its clean exits such as --help.
            exit(withError: error)
        }
    }

    private static func fail(_ message: String, _ exitCode: Int32) -> Never {
        StandardError.write("realmgate: \(message)\n")
        Glibc.exit(exitCode)
    }
}
