import Synchronization

/// The present settings of a gateway, which can change while it handles requests. Everything reads them here, when it
/// needs them.
package final class LiveConfiguration: Sendable {
    /// The settings at one time.
    private final class Settings: Sendable {
        let all: GatewayConfiguration

        init(_ all: GatewayConfiguration) { self.all = all }
    }

    private let state: Mutex<Settings>

    init(_ configuration: GatewayConfiguration) { state = Mutex(Settings(configuration)) }

    /// The present settings. They are lent without a copy: copying all of them would cost a request more than reading
    /// the few that it needs. So do not assign them to a constant on the way of a request.
    package var now: GatewayConfiguration {
        _read {
            let settings = state.withLock { $0 }
            yield settings.all
        }
    }

    func update(_ configuration: GatewayConfiguration) { state.withLock { $0 = Settings(configuration) } }
}
