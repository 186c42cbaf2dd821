import HTTPServer
import HTTPTesting

extension TestGateway {
    /// Serves on a port of its own while `body` runs.
    func serve(
        _ configure: (inout ServerConfiguration) -> Void = { _ in }, _ body: (UInt16) throws -> Void
    ) throws {
        var configuration = ServerConfiguration()
        configuration.loops = 2
        configure(&configuration)
        let server = HTTPServer(configuration: configuration, router: router)
        let port = try server.start()
        defer { server.stop(within: .seconds(5)) }
        try body(port)
    }
}
