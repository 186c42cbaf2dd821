import Foundation
import TestBasics
import Testing

@testable import SyncEngine

@Suite("Requests to a gateway")
struct GatewayTransportTests {
    @Test("requests end when they are cancelled or the connection is closed, also while the gateway refuses them")
    func cancelled() async throws {
        // Nobody listens there.
        let gateway = try #require(URL(string: "http://127.0.0.2:1"))
        for round in 0..<300 * TestRun.length {
            let settings = FollowerSettings(
                gateway: gateway, token: nil, tokenProvider: nil, headers: [:], idleTimeout: 60)
            let transport = GatewayTransport(settings)
            let tasks = (0..<4).map { number in Task { _ = try await transport.send("GET", "/\(number)") } }
            for _ in 0..<round % 5 { await Task.yield() }
            if round % 2 == 0 { for task in tasks { task.cancel() } }
            transport.close()
            for task in tasks { await #expect(throws: (any Error).self) { try await task.value } }
        }
    }
}
