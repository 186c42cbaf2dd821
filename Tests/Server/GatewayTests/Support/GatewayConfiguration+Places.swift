import RequestHandling

extension GatewayConfiguration {
    /// A configuration whose live queries are on the shared thread, go to a branch before their first result, or go
    /// there after their first change: clients must not see a difference.
    static func places(_ number: Int) -> GatewayConfiguration {
        var configuration = GatewayConfiguration.untimed
        switch number % 3 {
        case 1: configuration.sharedEffort = 0
        case 2: configuration.sharedPatience = 0
        default: break
        }
        return configuration
    }
}
