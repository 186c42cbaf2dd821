import AccessRules
import Foundation
import Glibc
import HTTPMessages
import HTTPServer
import Identity
import OpenCombine
import RealmSwift
import RequestHandling
import Synchronization
import TestBasics
import Testing

@Suite("Opening realms that follow a gateway")
struct OpeningTests {
    /// Opens a realm, and returns how many dogs it has at once.
    private actor Opener {
        private let configuration: Realm.Configuration
        private var realm: Realm?

        init(_ configuration: Realm.Configuration) { self.configuration = configuration }

        func open(_ behavior: Realm.OpenBehavior) async throws -> Int {
            let realm = try await Realm(configuration: configuration, actor: self, downloadBeforeOpen: behavior)
            self.realm = realm
            return realm.objects(SubDog.self).count
        }

        func openHere(_ behavior: Realm.OpenBehavior) async throws -> Int {
            let realm = try await Realm.open(configuration: configuration, downloadBeforeOpen: behavior)
            self.realm = realm
            return realm.objects(SubDog.self).count
        }

        func names() -> [String?] { realm?.subscriptions.map(\.name) ?? [] }
        func close() { realm = nil }
    }

    private func configuration(
        _ gateway: URL, path: String? = nil, token: String? = nil, types: [ObjectBase.Type] = SubModels.all,
        rerunOnOpen: Bool = false, timeout: TimeInterval? = nil, runs: Runs = Runs()
    ) -> Realm.Configuration {
        var configuration = Realm.Configuration(objectTypes: types)
        if let path {
            configuration.fileURL = URL(fileURLWithPath: path)
        } else {
            configuration.inMemoryIdentifier = UUID().uuidString
        }
        configuration.syncConfiguration = SyncConfiguration(
            gateway: gateway, token: token,
            initialSubscriptions: { set in
                let number = runs.next()
                guard set.first(named: "dogs\(number)") == nil else { return }
                set.append(QuerySubscription<SubDog>(name: "dogs\(number)"))
            }, rerunOnOpen: rerunOnOpen, openTimeout: timeout)
        return configuration
    }

    private final class Runs: Sendable {
        private let count = Atomic(0)
        var now: Int { count.load(ordering: .acquiring) }
        func next() -> Int { count.add(1, ordering: .acquiringAndReleasing).newValue }
    }

    private func server() throws -> TestServer {
        let server = try TestServer()
        try server.send(.post, "/v1/objects/SubDog", #"[{"_id":1},{"_id":2}]"#)
        return server
    }

    @Test("the first opening waits for what is subscribed to initially; once opens without a gateway afterwards")
    func once() async throws {
        let server = try server()
        let path = NSTemporaryDirectory() + "/opening-\(UUID().uuidString).realm"
        defer { for suffix in ["", "-lock"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
        let runs = Runs()
        let configuration = configuration(server.url, path: path, runs: runs)
        let first = Opener(configuration)
        #expect(try await first.open(.once) == 2)
        #expect(await first.names() == ["dogs1"])
        await first.close()
        server.stop()
        let second = Opener(configuration)
        #expect(try await second.openHere(.once) == 2)
        await second.close()
        let third = Opener(configuration)
        #expect(try await third.open(.never) == 2)
        await third.close()
        await #expect(throws: SyncError.self) { try await Opener(configuration).open(.always) }
        try server.start()
        try server.send(.post, "/v1/objects/SubDog", #"[{"_id":3}]"#)
        let last = Opener(configuration)
        #expect(try await last.openHere(.always) == 3)
        #expect(runs.now == 1)
    }

    @Test("an opening that is told to download always has what was committed before")
    func always() async throws {
        let server = try server()
        let configuration = configuration(server.url)
        let first = Opener(configuration)
        #expect(try await first.open(.always) == 2)
        for number in 3..<8 {
            try server.send(.post, "/v1/objects/SubDog", #"[{"_id":\#(number)}]"#)
            #expect(try await Opener(configuration).open(.always) == number)
        }
    }

    @Test("initial subscriptions are made anew at each opening of the file if that is asked for")
    func rerun() async throws {
        let server = try server()
        let path = NSTemporaryDirectory() + "/opening-\(UUID().uuidString).realm"
        defer { for suffix in ["", "-lock"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
        let runs = Runs()
        let configuration = configuration(server.url, path: path, rerunOnOpen: true, runs: runs)
        let (first, again) = (Opener(configuration), Opener(configuration))
        #expect(try await first.open(.always) == 2)
        #expect(try await again.open(.always) == 2)
        #expect(runs.now == 1)
        await first.close()
        await again.close()
        let second = Opener(configuration)
        #expect(try await second.open(.always) == 2)
        #expect(runs.now == 2)
        #expect(await second.names() == ["dogs1", "dogs2"])
    }

    @Test("an opening that waits fails without a gateway, with a wrong token, and for what is not followed")
    func failing() async throws {
        let server = try server()
        server.stop()
        let unreachable = Opener(configuration(server.url))
        let error = await #expect(throws: SyncError.self) { try await unreachable.open(.once) }
        #expect(error?.code == .connection)
        #expect(try await unreachable.open(.never) == 0)

        let keys = KeyRing()
        let control = AccessControl(AccessControl.Rules(roles: []), keys: keys)
        let guarded = try TestServer { $0.accessControl = control }
        let wrong = Opener(configuration(guarded.url, token: "rg_wrong"))
        let refused = await #expect(throws: SyncError.self) { try await wrong.openHere(.always) }
        #expect(refused?.code == .unauthorized && refused?.status == 401)

        try server.start()
        var strangers = configuration(server.url, types: SubModels.all + [SubStranger.self])
        strangers.syncConfiguration?.initialSubscriptions = { $0.append(QuerySubscription<SubStranger>()) }
        let stranger = Opener(strangers)
        await #expect(throws: Realm.Error(.subscriptionFailed)) { try await stranger.open(.once) }
    }

    @Test("an opening waits no longer than it may, and can be cancelled")
    func patience() async throws {
        let silent = try SilentServer()
        let waiting = Opener(configuration(silent.url, timeout: 0.2))
        await #expect(throws: Realm.Error(.subscriptionFailed)) { try await waiting.open(.once) }
        let another = try SilentServer()
        let cancelled = Opener(configuration(another.url))
        let task = Task { try await cancelled.openHere(.always) }
        let isWaiting = try await eventually { another.isReached }
        #expect(isWaiting)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("asyncOpen and its publisher wait for what is subscribed to, and tell why it does not come")
    func asyncOpen() async throws {
        let server = try server()
        let queue = DispatchQueue(label: "opening")
        func open(_ configuration: Realm.Configuration) async throws -> Int {
            try await withCheckedThrowingContinuation { continuation in
                Realm.asyncOpen(configuration: configuration, callbackQueue: queue) { opened in
                    continuation.resume(with: opened.map { $0.objects(SubDog.self).count })
                }
            }
        }
        #expect(try await open(configuration(server.url)) == 2)
        let published = configuration(server.url)
        let kept = Mutex<AnyCancellable?>(nil)
        let count = try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Int, any Error>) in
            let cancellable = Realm.asyncOpen(configuration: published).receive(on: queue).sink(
                receiveCompletion: { if case .failure(let error) = $0 { continuation.resume(throwing: error) } },
                receiveValue: { continuation.resume(returning: $0.objects(SubDog.self).count) })
            let box = Box(cancellable)
            kept.withLock { $0 = box.value }
        }
        #expect(count == 2)
        server.stop()
        let unreachable = configuration(server.url)
        await #expect(throws: SyncError.self) { try await open(unreachable) }
        let silent = try SilentServer()
        let called = Atomic(false)
        let task = Realm.asyncOpen(configuration: configuration(silent.url), callbackQueue: queue) { _ in
            called.store(true, ordering: .releasing)
        }
        let isWaiting = try await eventually { silent.isReached }
        #expect(isWaiting)
        task.cancel()
        try await Task.sleep(for: .milliseconds(50))
        let wasCalled = called.load(ordering: .acquiring)
        #expect(!wasCalled)
    }
}

/// Sendable because it is passed once.
private struct Box<T>: @unchecked Sendable {
    let value: T
    init(_ value: T) { self.value = value }
}

/// Accepts connections, and never responds.
final class SilentServer: Sendable {
    private let socket: Int32
    let url: URL

    init() throws {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(socket, address, length) == 0 && listen(socket, 16) == 0
                    && getsockname(socket, address, &length) == 0
            }
        }
        guard bound, let url = URL(string: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))") else {
            throw TestServer.Failure(text: "no socket")
        }
        self.socket = socket
        self.url = url
    }

    /// Whether a client has connected.
    var isReached: Bool {
        var connection = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&connection, 1, 0) == 1
    }

    deinit { Glibc.close(socket) }
}
