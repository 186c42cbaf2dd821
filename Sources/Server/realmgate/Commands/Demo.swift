import ArgumentParser
import Glibc
import Hosting

/// `realmgate demo`: serves the demo from a temporary directory.
struct Demo: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve the demo, with data that is removed at the end.",
        discussion: """
            Loads 3,376 airports and 6,099 flights into a temporary database, and serves it on this machine only. \
            Prints the address and three things to try. Ctrl-C stops the server and removes the data.

            The port is 8080 or, if that is in use, a free one.

            Settings of the environment do not apply, except for TMPDIR and the directories of installed files.
            """)

    @Option(help: "The port to listen on; 0 chooses a free one.")
    var port: Int?

    /// The port that is used unless another one is given.
    private static let usualPort = 8080
    private static let host = "127.0.0.1"

    func run() throws {
        // Before any other thread exists.
        Signals.block()
        let usual = port ?? Self.usualPort
        let isTaken = port == nil && !Self.isFree(usual)
        let directory = try TemporaryDirectory(prefix: "realmgate-demo-")
        defer { directory.remove() }
        let settings = try ServiceSettings(
            try Settings(options: Self.options(in: directory, port: isTaken ? 0 : usual), file: nil, Self.sources),
            .process)
        let service = try Service.start(settings) { settings }
        print("realmgate: listening on \(service.address)")
        if isTaken { print("Port \(usual) is in use, so the demo has another one.") }
        print(Self.advice(service.address, directory.path))
        StandardOutput.flush()
        while true {
            guard case .stop(let signal) = Signals.wait() else { continue }
            // First, because a second signal ends the program at once.
            directory.remove()
            return try service.stop(because: signal)
        }
    }

    private static func options(in directory: TemporaryDirectory, port: Int) -> [String: String] {
        [
            "data": directory.path + "/demo.realmgate", "host": host, "port": String(port), "demo": "true",
            // Everything that is worth a line here is printed.
            "log.level": "error",
        ]
    }

    /// The environment, without the settings of other servers.
    private static let sources = SettingSources { name in
        guard ["REALMGATE_DEMO_DATA", "REALMGATE_STATIC", "REALMGATE_OPENAPI"].contains(name) else { return nil }
        return getenv(name).map { String(cString: $0) }
    }

    private static func advice(_ address: String, _ path: String) -> String {
        """

        Three things to try:

        1. Open \(address) in a browser. The console shows tables, queries and their live results.

        2. Find the flights with the longest delays from airports in New York:

        curl -sG \(address)/v1/objects/Flight --data-urlencode 'filter=delay > 60 AND origin.state == "NY"' -d sort=-delay -d limit=3

        3. Watch a query in one terminal, and change a flight in another:

        curl -sNG \(address)/v1/observe/objects/Flight --data-urlencode 'filter=delay > 800' -d sort=-delay
        curl -s -X PATCH \(address)/v1/objects/Flight/1 --json '{"delay": 999}'

        The data is in \(path). Ctrl-C stops the demo and removes it.
        """
    }

    /// Whether a port of this machine can be listened on.
    private static func isFree(_ port: Int) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return true }
        defer { close(descriptor) }
        var reuses: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuses, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(truncatingIfNeeded: port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
