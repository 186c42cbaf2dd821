import HTTPServer
import ObjectCoding
import ObjectModel
import OpenAPIDescription
import StoreContract
import WireProtocol
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
        var schema = try snapshot(for: request).schema
        if let names = request.query("classes") {
            let names = try names.split(separator: ",").map { name in
                try schema.named(String(name)).name
            }
            schema = schema.selecting(Set(names))
        }
        try requireWorker(forLarge: schema, request)
        let limit = configuration.answerBytes
        guard let rendering = description.rendering(of: schema, security, limit: limit) else {
            throw Problem(
                .answerTooLarge,
                "The description of \(schema.classes.count) classes would have more than \(limit) bytes (limits.answerBytes). Name those that you need: /openapi.json?classes=\(schema.classes.prefix(2).map { Endpoint.encoded($0.name) }.joined(separator: ","))",
                parameter: "classes")
        }
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
