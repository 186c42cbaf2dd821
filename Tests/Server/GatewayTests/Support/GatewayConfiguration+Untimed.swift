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
