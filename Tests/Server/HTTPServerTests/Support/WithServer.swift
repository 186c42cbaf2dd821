import Foundation
import HTTPServer
import HTTPTesting
import Synchronization
import TestBasics

/// Runs `body` against a server on a port of its own, and stops it afterwards.
///
/// The server has as much patience with its clients as the tests have: only a test of a limit makes it small.
func withServer(
    over wire: Wire = .plain, _ configure: (inout ServerConfiguration) -> Void = { _ in },
    routes: (inout Router) -> Void,
    _ body: (HTTPServer, UInt16) throws -> Void
) throws {
    var configuration = ServerConfiguration()
    configuration.loops = 2
    configuration.firstRequestTimeout = patience
    configuration.idleTimeout = patience
    configuration.receiveTimeout = patience
    configuration.responseStallTimeout = patience
    configuration.responseStallTimeoutUnderPressure = patience
    configuration.streamStuckTimeout = patience
    if wire == .tls { configuration.tls = try TestCertificate.shared.get().files }
    configure(&configuration)
    var router = Router()
    routes(&router)
    let server = HTTPServer(configuration: configuration, router: router)
    let port = try server.start()
    defer { server.stop(within: .seconds(5)) }
    try body(server, port)
}

/// The longest that a test waits, in milliseconds.
private let patience = TestRun.patience * 1_000

/// Values collected from many threads.
final class Recorder<Value: Sendable>: Sendable {
    private let state = Mutex<[Value]>([])

    func append(_ value: Value) { state.withLock { $0.append(value) } }
    var values: [Value] { state.withLock { $0 } }
    func takeAll() -> [Value] {
        state.withLock { values in
            defer { values = [] }
            return values
        }
    }
}

/// Runs the body on a thread, for responses that must not come from the loop's own.
func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
    let box = Unmanaged.passRetained(Box(body))
    var thread = pthread_t()
    pthread_create(
        &thread, nil,
        { context in
            guard let context else { return nil }
            Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body()
            return nil
        }, box.toOpaque())
    pthread_detach(thread)
}

private final class Box: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}
