import Gateway
import HTTPServer
import RequestHandling
import StoreContract
import StoreTesting

/// The gateway's routes over a store.
func wireRouter(
    over store: any Store, staticDirectory: String? = nil, openapiDirectory: String? = nil,
    inlineObjects: Int? = nil
) throws -> Router {
    var configuration = GatewayConfiguration.untimed
    configuration.staticDirectory = staticDirectory
    configuration.openapiDirectory = openapiDirectory
    if let inlineObjects { configuration.inlineObjects = inlineObjects }
    return try Gateway(store: store, configuration: configuration).router
}

extension Wire {
    /// A gateway over an empty store.
    static func gateway() throws -> Gateway { try Gateway(store: try ModelStore(schema), configuration: .untimed) }
}
