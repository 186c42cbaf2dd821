import HTTPServer
import ObjectCoding

extension Gateway {
    /// `POST /v1/query/…`: a read whose parameters are a form in the body, because they would be too long for a URL.
    /// The path after `query` is that of the resource.
    ///
    /// - Parameter router: has the routes of queries.
    func query(_ request: Request, by router: Router) throws -> Reply {
        let type = request.header("Content-Type").map { FieldElement($0) }
        guard request.body.isEmpty || type?.name == "application/x-www-form-urlencoded" && type?.isUTF8 == true else {
            throw Problem(
                .unsupportedMediaType,
                "Send the parameters as a form in UTF-8 with Content-Type: application/x-www-form-urlencoded.")
        }
        guard String(validating: request.body, as: UTF8.self) != nil else {
            throw Problem(.malformedForm, "The form is not UTF-8. Percent-encode it as you would a query.")
        }
        // The segments after `v1` and `query`. The omitted fields do not concern the resource that a GET would name.
        let resource = ["v1"] + request.segments.dropFirst(2)
        // Errors are thrown to the handler of this request, which knows which of them mean that a worker must do it.
        return try router.forward(
            request.read(of: resource, form: request.body, without: ["If-None-Match", "Content-Type"]))
    }
}

extension Request {
    /// Whether the request changes nothing.
    var isRead: Bool {
        method.isRead || method == .post && segments.count > 2 && segments[0] == "v1" && segments[1] == "query"
    }
}
