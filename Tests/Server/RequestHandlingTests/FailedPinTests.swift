import HTTPServer
import ObjectModel
import StoreContract
import Synchronization
import Testing

@testable import RequestHandling

@Suite("A shared snapshot that cannot be made")
struct FailedPinTests {
    /// A log that is away.
    private final class NoVersions: SharedVersions {
        func pin(_ pin: VersionPin, completion: @escaping @Sendable (Result<Version, any Error>) -> Void) {
            completion(.failure(StoreError(.logUnavailable, "The log is away.")))
        }

        func unpin(_ id: [UInt8], completion: @escaping @Sendable (Result<Version, any Error>) -> Void) {
            completion(.failure(StoreError(.logUnavailable, "The log is away.")))
        }

        func onPin(_ listener: @escaping @Sendable (PinEvent) -> Void) {}
    }

    @Test("no longer counts when its caller hears of it, and tries again at once")
    func again() throws {
        var configuration = GatewayConfiguration()
        configuration.snapshotsPerCaller = 1
        let versions = FrozenVersions(LiveConfiguration(configuration))
        let codes = Mutex<[StoreError.Code?]>([])
        let caller = LimitKey.caller("test")
        @Sendable func make(_ then: @escaping @Sendable () throws -> Void) throws {
            try versions.keepShared(in: NoVersions(), for: 60, .key("test"), on: caller) { result in
                if case .failure(let error) = result {
                    codes.withLock { $0.append((error as? StoreError)?.code) }
                }
                #expect(throws: Never.self) { try then() }
            }
        }
        try make { try make {} }
        #expect(codes.withLock { $0 } == [.logUnavailable, .logUnavailable])
        #expect(versions.limited.load(ordering: .relaxed) == 0)
    }
}
