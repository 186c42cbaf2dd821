import EmbeddedStore
import Foundation
import Gateway
import HTTPMessages
import HTTPServer
import HTTPTesting
import JSONCoding
import ObjectModel
import RequestHandling
import StoreContract
import Synchronization
import TestBasics

/// A gateway that can be stopped and started again at its address.
final class TestServer: Sendable {
    private struct Running: Sendable {
        var store: EmbeddedStore
        var gateway: Gateway
        var server: HTTPServer
        var port: UInt16
    }

    private let directory: String
    private let configure: @Sendable (inout GatewayConfiguration) -> Void
    private let state = Mutex<Running?>(nil)
    private let host = LoopbackAddress.own()
    private let port = Mutex<UInt16>(0)

    private let schema: String

    init(
        schema: String = SubModels.schema,
        _ configure: @escaping @Sendable (inout GatewayConfiguration) -> Void = { _ in }
    ) throws {
        self.schema = schema
        directory = NSTemporaryDirectory() + "/subscriptions-\(UUID().uuidString)"
        self.configure = configure
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try start()
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(atPath: directory)
    }

    func start() throws {
        let schema = try SchemaCoding.decode(try JSONValue.parse(schema))
        let store = try open(schema)
        var configuration = GatewayConfiguration()
        configuration.subscriptionFile = directory + "/subscriptions"
        configure(&configuration)
        let gateway = try Gateway(store: store, configuration: configuration)
        var settings = ServerConfiguration()
        settings.loops = 2
        settings.host = host
        settings.port = port.withLock { $0 }
        let server = HTTPServer(configuration: settings, router: gateway.router)
        let found = try server.start()
        port.withLock { $0 = found }
        state.withLock { $0 = Running(store: store, gateway: gateway, server: server, port: found) }
    }

    /// Opens the store; earlier readers may still be closing it.
    private func open(_ schema: ObjectModel.Schema) throws -> EmbeddedStore {
        try whenFree { try EmbeddedStore.open(path: directory + "/store", schema: schema) }
    }

    /// Repeats the body until the file is not busy.
    private func whenFree<R>(_ body: () throws -> R) throws -> R {
        var result: R?
        _ = try eventually {
            do {
                result = try body()
                return true
            } catch let error as StoreError where error.code == .busy { return false }
        }
        guard let result else { throw Failure(text: "the file is busy") }
        return result
    }

    func stop() {
        let running = state.withLock { $0.take() }
        guard let running else { return }
        running.server.stop(within: .seconds(2))
        running.store.close()
    }

    /// Writes a backup, and replaces the previous one.
    func backUp() throws {
        unlink(directory + "/backup")
        try state.withLock { $0?.store }?.writeCopy(to: directory + "/backup", progress: nil)
    }

    /// Restores the backup and starts again. The server must be stopped.
    func restore() throws {
        try whenFree {
            try EmbeddedStore.restore(directory + "/store", from: directory + "/backup", replaces: true)
        }
        try start()
    }

    /// Compacts the file. The server must be stopped.
    func compact() throws {
        let isAsked = Mutex(false)
        var options = EmbeddedStoreOptions()
        options.shouldCompactOnLaunch = { _, _ in
            isAsked.withLock { $0 = true }
            return true
        }
        let schema = try SchemaCoding.decode(try JSONValue.parse(schema))
        try whenFree { try EmbeddedStore.open(path: directory + "/store", schema: schema, options: options) }.close()
        guard isAsked.withLock({ $0 }) else { throw Failure(text: "the file was not compacted") }
    }

    /// The keys of all dogs.
    func keys() throws -> [Int] {
        let dogs = try send(.get, "/v1/objects/SubDog?fields=_id&sort=_id&limit=1000")["items"]?.parts ?? []
        return dogs.compactMap { dog in if case .int(let key)? = dog["_id"] { Int(key) } else { nil } }
    }

    var url: URL {
        var parts = URLComponents()
        parts.scheme = "http"
        parts.host = host
        parts.port = Int(port.withLock { $0 })
        return parts.url ?? URL(fileURLWithPath: "/")
    }

    /// Sends a request to the router, without a socket.
    @discardableResult
    func send(
        _ method: HTTPMethod, _ target: String, _ body: String? = nil, headers: HeaderFields = [:]
    ) throws -> JSONValue {
        var headers = headers
        if body != nil { headers.add("Content-Type", "application/json") }
        let request = try Request(method, target, headers: headers, body: body.map { Array($0.utf8) } ?? [])
        guard let router = state.withLock({ $0?.gateway.router }) else { throw Failure(text: "down") }
        let response = try router.answer(request)
        let json = (try? JSONValue.parse(response.bodyBytes)) ?? .null
        guard response.status < 300 else { throw Failure(text: String(decoding: response.bodyBytes, as: UTF8.self)) }
        return json
    }

    /// Returns an object as the gateway has it; nil if it does not exist.
    func object(_ className: String, _ key: String) -> JSONValue? {
        try? send(.get, "/v1/objects/\(className)/\(key)")
    }

    struct Failure: Error {
        var text: String
    }
}

extension JSONValue {
    /// The elements of an array; empty for other values.
    var parts: [JSONValue] {
        if case .array(let elements) = self { return elements }
        return []
    }
}
