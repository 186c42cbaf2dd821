import ArgumentParser

/// `realmgate health`: exits with 0 if the server answers.
struct Health: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check that a server on this machine is alive.",
        discussion: """
            Asks HOST:PORT/healthz and exits with 0 when the answer is 200, else with 1 and a sentence that says why. \
            Address and certificate are found as serve finds them: in the options, in REALMGATE_HOST and the like, in \
            the file of --config. With a certificate it asks by HTTPS, and takes whatever certificate it is shown. \
            Container images use it as their health check.

            Examples:

              realmgate health
              realmgate health --port 9000
              realmgate health --config /etc/realmgate.yaml
            """)

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var address: AddressOptions

    @Option(help: "How long to wait for the answer, in seconds.")
    var timeout = 3

    func run() throws {
        guard (1...300).contains(timeout) else {
            throw CommandFailure("--timeout is \(timeout); it must be 1 to 300.", exitCode: 64)
        }
        let options: [String: String?] = ["host": address.host, "port": address.port.map(String.init)]
        let settings = try Settings(
            options: options.compactMapValues { $0 }, assignments: configuration.assignments,
            file: configuration.file, .process)
        let host = settings.host
        // A server that listens on all addresses is reached on the loopback address.
        let target = host == "0.0.0.0" ? "127.0.0.1" : host == "::" ? "::1" : host
        let status = try HealthProbe.status(
            host: target, port: settings.port, overTLS: settings.text("tls.certificate") != nil,
            seconds: timeout)
        guard status == 200 else { throw CommandFailure("The server answers, but with status \(status).") }
        print("healthy")
    }
}
