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
    var logLevel: Logger.Level
}
