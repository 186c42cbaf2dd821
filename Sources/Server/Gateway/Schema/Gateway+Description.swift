import HTTPServer
import ObjectCoding
import ObjectModel
import OpenAPIDescription
import StoreContract
import WriteRequests

extension Gateway {
    /// `/openapi.json` for the schema that the caller sees.
    func getDescription(_ request: Request, _ path: PathParameters) throws -> Reply {
        guard let description else {
            throw Problem(HTTPError.Code.notFound, "This gateway was started without a description of its API.")
        }
        let control = configuration.accessControl
        let security = DescriptionSecurity(
            isOn: control.map { !$0.isOpen } ?? false,
            takesAnonymous: control?.roleNames.contains("anonymous") ?? true)
        let schema = try snapshot(for: request).schema
        try requireWorker(forLarge: schema, request)
        let rendering = description.rendering(of: schema, security)
        let tag = EntityTag(Fingerprint.text(rendering.fingerprint))
        var response = Response(
            headers: [
                "Content-Type": "application/json", "ETag": tag.header, "Cache-Control": "no-cache",
                "X-Content-Type-Options": "nosniff",
            ], body: .shared(rendering.content))
        if control != nil { response.headers["Vary"] = "Authorization, X-API-Key" }
        return .now(try notModified(request, tag) ?? response)
    }
}
