import HTTPServer
import ObjectModel
import StoreContract

extension Gateway {
    /// `/openapi.json`: for the schema that the caller sees; for one that nobody knows, the operations alone.
    func getDescription(_ request: Request, _ path: PathParameters) throws -> Reply {
        guard let description else {
            throw Problem(404, "not_found", "This gateway was started without a description of its API.")
        }
        let security = DescriptionSecurity(
            isOn: configuration.accessControl != nil, takesAnonymous: false)
        let known = (try? caller(of: request)) != nil
        let schema = known ? try snapshot(for: request).schema : .empty
        let rendering = description.rendering(of: schema, security)
        var response = Response(
            headers: [
                "Content-Type": "application/json", "ETag": rendering.tag.header, "Cache-Control": "no-cache",
                "X-Content-Type-Options": "nosniff",
            ], body: .shared(rendering.content))
        if configuration.accessControl != nil { response.headers["Vary"] = "Authorization, X-API-Key" }
        return .now(try notModified(request, rendering.tag) ?? response)
    }
}
