import ArgumentParser
import HTTPClient
import HTTPMessages
import HTTPServer

/// `realmgate health`: exits with 0 if the server answers.
struct Health: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check that a server on this machine is alive.",
        discussion: """
            Requests HOST:PORT/healthz and exits with 0 if the status is 200, else with 1 and the reason. The address \
            comes from the same settings as that of `serve`: the options, variables such as REALMGATE_HOST, and the file \
            of --config. If these name a certificate it uses HTTPS, without verifying the server's certificate. \
            Container images use this command as their health check.

            Examples:

              realmgate health
              realmgate health --port 9000
              realmgate health --config /etc/realmgate.yaml
            """)

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var address: AddressOptions

    @Option(help: "The maximum time to wait for the response, in seconds.")
    var timeout = 3

    func run() throws {
        guard (1...300).contains(timeout) else {
            throw CommandError("--timeout is \(timeout); it must be 1 to 300.", exitCode: 64)
        }
        let settings = try configuration.settings(["host": address.host, "port": address.port.map(String.init)])
        let service = try settings.configuration("host", "port", "tls.certificate")
        let host = service.server.host
        // A server that listens on all addresses is reached on the loopback address.
        let target = host == "0.0.0.0" ? "127.0.0.1" : host == "::" ? "::1" : host
        let base = BaseURL(host: target, port: Int(service.server.port), isSecure: service.certificate != nil)
        let status: Int
        do throws(HTTPClientError) {
            // Only the presence of a server is checked.
            let client = try HTTPClient(to: base, trusting: .unverified, patience: timeout, responseLimit: 1 << 20)
            status = try client.send(.get, "/healthz").status
        } catch {
            throw CommandError(error.message)
        }
        guard status == 200 else { throw CommandError("The server responds, but with status \(status).") }
        print("healthy")
    }
}
