import ArgumentParser
import Files
import Glibc
import HTTPClient
import ModelContext
import StoreContract

/// `realmgate mcp`: gives language models the tools of a database, over standard input and output.
struct ToolsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp",
        abstract: "Serve a database to language models (Model Context Protocol).",
        discussion: """
            Speaks the Model Context Protocol on standard input and output; the program of the model starts it. Its \
            tools are schema, query, get, aggregate and explain; with --allow-writes also create, update and delete.

            With --data it opens the database file, with full access; a server may use the file at the same time. With \
            --url it asks a running gateway, as the caller of a token or key: what the caller's role hides stays hidden. \
            Other users can see the arguments of a command, so give the token in the variable REALMGATE_TOKEN. Over \
            HTTPS an authority that the system trusts must have issued the gateway's certificate, or one in the file \
            that SSL_CERT_FILE names.

            Examples, as commands in the configuration of such a program:

              realmgate mcp --data shop.realmgate
              realmgate mcp --url http://127.0.0.1:8080 --allow-writes
              realmgate mcp --url https://db.example.com
            """)

    @OptionGroup var database: StoreOptions

    @Option(help: ArgumentHelp("The address of a running gateway, instead of a database.", valueName: "url"))
    var url: String?

    @Option(help: ArgumentHelp("The token or API key for the gateway of --url.", valueName: "token"))
    var token: String?

    @Flag(help: "Also offer the tools that write.")
    var allowWrites = false

    func validate() throws {
        if url != nil, database.file.data != nil { throw ValidationError("Give --url or --data, not both.") }
    }

    func run() throws {
        // The reader may go while a line is written.
        signal(SIGPIPE, SIG_IGN)
        let tools = Toolbox(allowsWrites: allowWrites)
        if let url = SettingSources.process.text(url, "REALMGATE_URL"), database.file.data == nil {
            let token = SettingSources.process.text(token, "REALMGATE_TOKEN")
            return try Self.serve(
                ToolServer(tools: tools, port: try Self.gateway(at: url, token), version: Realmgate.version))
        }
        let store = try database.open(.process, mustExist: true)
        defer { store.close() }
        try Self.serve(ToolServer(tools: tools, port: try OwnGateway(to: store), version: Realmgate.version))
    }

    private static func gateway(at url: String, _ token: String?) throws(CommandError) -> RemoteGateway {
        guard let base = BaseURL(url) else {
            throw CommandError("--url is '\(url)'; it must be http://HOST:PORT or https://HOST:PORT.", exitCode: 64)
        }
        if let token, token.utf8.contains(where: { $0 <= 0x20 || $0 >= 0x7f }) {
            throw CommandError("The token has characters that a header cannot have.", exitCode: 64)
        }
        let file = SettingSources.process.text(nil, "SSL_CERT_FILE")
        do throws(HTTPClientError) {
            return RemoteGateway(
                try HTTPClient(to: base, trusting: file.map { .authorities(file: $0) } ?? .system), token: token)
        } catch {
            throw CommandError(error.message, exitCode: 66)
        }
    }

    /// Answers line by line until the input ends.
    private static func serve(_ server: ToolServer) throws {
        var input = LineInput()
        while let line = try input.next() {
            guard !line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0d }), let response = server.response(to: line)
            else {
                continue
            }
            do throws(FileError) {
                try writeAll(response + [0x0a], to: STDOUT_FILENO, named: "standard output")
            } catch {
                // The client has disconnected.
                throw CommandError("Cannot write standard output: \(error.reason).", exitCode: 74)
            }
        }
    }
}

/// The lines of standard input.
private struct LineInput {
    private static let longest = 16 << 20
    private var rest: [UInt8] = []
    private var hasEnded = false

    /// Returns the next line without its end; nil behind the last. Throws for one that is too long.
    mutating func next() throws(CommandError) -> [UInt8]? {
        var searched = 0
        while true {
            if let end = rest[searched...].firstIndex(of: 0x0a) {
                let line = Array(rest[..<end])
                rest.removeFirst(end + 1)
                return line
            }
            searched = rest.count
            if hasEnded {
                defer { rest = [] }
                return rest.isEmpty ? nil : rest
            }
            guard rest.count <= Self.longest else {
                throw CommandError("A message is longer than \(Self.longest >> 20) MiB.", exitCode: 65)
            }
            try fill()
        }
    }

    private mutating func fill() throws(CommandError) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(STDIN_FILENO, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw CommandError("Cannot read standard input: \(String(cString: strerror(errno))).", exitCode: 74)
            }
            hasEnded = count == 0
            rest += buffer[..<count]
            return
        }
    }
}
