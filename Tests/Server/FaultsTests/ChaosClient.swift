import Foundation
import HTTPTesting
import ProgramTesting
import TestBasics
import Testing

/// A client of an event stream, with a thread of its own. It reads slowly, leaves, and comes back with its last id; a
/// steady one reads at once, and leaves only when the server ends the stream.
final class ChaosClient: @unchecked Sendable {
    // Sendable: the constants are values; everything else is guarded by `lock`.
    let query: String
    private let observed: String
    private let seed: UInt64
    private let isSteady: Bool
    private let lock = NSLock()
    private let done = DispatchSemaphore(value: 0)
    private var replay: StreamReplay
    private var connectionCount = 0
    private var resumptionCount = 0
    private var closingCount = 0
    private var failure: String?

    init(
        _ query: String, _ observed: String, _ kind: StreamReplay.Kind, _ seed: UInt64, isSteady: Bool = false
    ) {
        self.query = query
        self.observed = observed
        self.seed = seed
        self.isSteady = isSteady
        replay = StreamReplay(kind)
    }

    var items: [String]? { lock.withLock { replay.items } }
    var fault: String? { lock.withLock { failure } }
    /// The connections on which a stream began.
    var connections: Int { lock.withLock { connectionCount } }
    /// The connections that began with what was missed.
    var resumptions: Int { lock.withLock { resumptionCount } }
    /// The connections of a steady client that the server ended in order.
    var closings: Int { lock.withLock { closingCount } }
    var initials: Int { lock.withLock { replay.initials } }

    func knowsNot(_ text: String) -> Bool {
        lock.withLock { !(replay.items ?? []).contains { $0.contains(text) } }
    }

    func wait() { done.wait() }

    func start(while goesOn: @escaping @Sendable () -> Bool, port: @escaping @Sendable () -> Int?) {
        Thread.detachNewThread { [self] in
            var random = SeededRandom(seed: seed)
            while goesOn(), fault == nil {
                guard let port = port() else {
                    usleep(5_000)
                    continue
                }
                do {
                    try follow(port, goesOn, &random)
                } catch is LoopbackSocket.Failure {
                    // A server that is being killed refuses and closes connections.
                    usleep(2_000)
                } catch {
                    lock.withLock { failure = "\(error)" }
                }
            }
            done.signal()
        }
    }

    private func follow(_ port: Int, _ goesOn: () -> Bool, _ random: inout SeededRandom) throws {
        let last = lock.withLock { replay.mark }
        let connection = try EventConnection(
            port: port, "/v1/observe/\(observed)?\(query)", lastEventID: last,
            receiveBuffer: !isSteady && Int.random(in: 0..<3, using: &random) == 0 ? 2_048 : nil)
        var (hasBegun, isFirst) = (false, true)
        // Some leave after a while, some stay.
        let stays = isSteady || Int.random(in: 0..<3, using: &random) == 0
        var rest = stays ? Int.max : Int.random(in: 1..<60, using: &random)
        while goesOn(), rest > 0 {
            let isOpen = try connection.read(
                milliseconds: 20, limit: Int.random(in: 1...4_096, using: &random)
            ) { event in
                rest -= 1
                try lock.withLock {
                    if isSteady, event.name == "closing" {
                        closingCount += 1
                        return
                    }
                    try replay.apply(event)
                    if isFirst, event.name == "update" { resumptionCount += 1 }
                }
                isFirst = false
            }
            if connection.hasHead, !hasBegun {
                hasBegun = true
                lock.withLock { connectionCount += 1 }
            }
            guard isOpen else { return }
            if !isSteady, Int.random(in: 0..<40, using: &random) == 0 {
                usleep(UInt32.random(in: 0...40_000, using: &random))
            }
        }
    }
}

extension ChaosClient {
    /// Writes the last notes, waits until each client knows one of them, ends the clients, and records an issue where one
    /// failed or has something else than a fresh query.
    static func settle(_ clients: [ChaosClient], until over: ChangingAddress, on hosts: [SharedHost], seed: UInt64)
        throws
    {
        let last = try hosts[0].send(
            "POST", "/v1/objects/Note", #"[{"id":-1,"text":"last","weight":-1},{"id":-2,"text":"last","weight":1000}]"#)
        #expect(last.status == 201)
        for client in clients {
            #expect(eventually { !client.knowsNot("\"last\"") || client.fault != nil }, "\(client.query)")
        }
        over.over = true
        for client in clients { client.wait() }
        try SharedHost.agree(hosts)
        for client in clients {
            #expect(client.fault == nil, "seed \(seed), \(client.query)")
            #expect(try client.items == hosts[1].notes(client.query), "seed \(seed), \(client.query)")
        }
    }
}
