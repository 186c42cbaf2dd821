import Synchronization

/// The present configuration. Requests always read the latest settings.
final class LiveConfiguration: Sendable {
    /// The settings at one time. A class, because copying so many settings would be slow for a request that reads two.
    final class Settings: Sendable {
        let all: GatewayConfiguration
        fileprivate init(_ all: GatewayConfiguration) { self.all = all }
    }

    private let state: Mutex<Settings>

    init(_ configuration: GatewayConfiguration) { state = Mutex(Settings(configuration)) }

    /// The present settings.
    var now: Settings { state.withLock { $0 } }

    var value: GatewayConfiguration { now.all }

    func update(_ configuration: GatewayConfiguration) { state.withLock { $0 = Settings(configuration) } }
}
