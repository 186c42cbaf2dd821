import Logging

/// What a server is started with, all settings resolved and directories found.
struct ServiceSettings {
    var data: String
    var host: String
    var port: Int
    var schema: String?
    /// The demo's directory; nil when it is not to be loaded.
    var demo: String?
    var console: String?
    var openapi: String?
    /// Seconds after which a subscription set without a stream is forgotten.
    var subscriptionLifetime: Int
    var logLevel: Logger.Level
    var logFormat: LogFormat
}
