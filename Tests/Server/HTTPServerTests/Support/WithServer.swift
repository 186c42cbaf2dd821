import Foundation
import HTTPServer
import Synchronization

/// Runs `body` against a server on a port of its own, and stops it afterwards.
func withServer(
    over wire: Wire = .plain, _ configure: (inout ServerConfiguration) -> Void = { _ in },
    routes: (inout Router) -> Void,
    _ body: (HTTPServer, UInt16) throws -> Void
) throws {
    var configuration = ServerConfiguration()
    configuration.loops = 2
    if wire == .tls { configuration.tls = try TestCertificate.shared.get().files }
    configure(&configuration)
    var router = Router()
    routes(&router)
    let server = HTTPServer(configuration: configuration, router: router)
    let port = try server.start()
    defer { server.stop(within: .seconds(5)) }
    try body(server, port)
}

/// Waits for an effect of another thread; returns false if it does not occur within a generous time.
func eventually(_ condition: () -> Bool) -> Bool {
    for _ in 0..<2_000 {
        if condition() { return true }
        usleep(5_000)
    }
    return condition()
}

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

/// Returns the resident memory of this process, in bytes.
func residentBytes() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    fgets(&line, 256, file)
    let text = line.withUnsafeBufferPointer { buffer in buffer.baseAddress.map { String(cString: $0) } ?? "" }
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
}
