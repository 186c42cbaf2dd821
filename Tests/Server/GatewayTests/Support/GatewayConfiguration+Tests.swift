import RequestHandling

extension GatewayConfiguration {
    /// The defaults without limits of time, which a thread that a busy machine stops for a while would exceed: it would
    /// then answer otherwise than the test says.
    ///
    /// Work on a loop is still limited by rows and bytes. Tests of a limit of time set it.
    static var untimed: GatewayConfiguration {
        var configuration = GatewayConfiguration()
        configuration.queryMilliseconds = nil
        // A day.
        configuration.inlineMilliseconds = 86_400_000
        configuration.importStall = nil
        return configuration
    }
}

extension GatewayConfiguration {
    /// A configuration whose live queries are on the shared thread, go to a branch before their first result, or go
    /// there after their first change: clients must not see a difference.
    static func places(_ number: Int) -> GatewayConfiguration {
        var configuration = GatewayConfiguration.untimed
        switch number % 3 {
        case 1: configuration.sharedQueryLookups = 0
        case 2: configuration.sharedCommitNanoseconds = 0
        default: break
        }
        return configuration
    }
}
