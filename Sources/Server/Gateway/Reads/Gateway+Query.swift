import HTTPServer
import ObjectCoding

extension Gateway {
    /// The resources that are read with query parameters, by path.
    var reads: KeyValuePairs<String, Handler> {
        [
            "/v1/objects/:class": polled(getCollection),
            "/v1/objects/:class/:key": polled(getObject),
            "/v1/objects/:class/:key/:property": polled(getHeldCollection),
            "/v1/objects/:class/:key/:property/*steps": polled(getHeldCollection),
            "/v1/aggregates/objects/:class": polled(getAggregates),
            "/v1/aggregates/objects/:class/:key/:property": polled(getHeldAggregates),
            "/v1/aggregates/objects/:class/:key/:property/*steps": polled(getHeldAggregates),
            "/v1/sections/objects/:class": polled(getSections),
            "/v1/sections/objects/:class/:key/:property": polled(getHeldSections),
            "/v1/sections/objects/:class/:key/:property/*steps": polled(getHeldSections),
            "/v1/index/objects/:class": polled(getIndex),
            "/v1/index/objects/:class/:key/:property": polled(getHeldIndex),
            "/v1/index/objects/:class/:key/:property/*steps": polled(getHeldIndex),
            "/v1/values/objects/:class": polled(getValues),
            "/v1/values/objects/:class/:key/:property": polled(getHeldValues),
            "/v1/values/objects/:class/:key/:property/*steps": polled(getHeldValues),
            "/v1/observe/objects/:class": observeCollection,
            "/v1/observe/objects/:class/:key": observeObject,
            "/v1/observe/objects/:class/:key/:property": observeHeldCollection,
            "/v1/observe/objects/:class/:key/:property/*steps": observeHeldCollection,
            "/v1/observe/sections/:class": observeSections,
            "/v1/observe/sections/:class/:key/:property": observeHeldSections,
            "/v1/observe/sections/:class/:key/:property/*steps": observeHeldSections,
            "/v1/observe/aggregates/objects/:class": observeAggregates,
            "/v1/observe/aggregates/objects/:class/:key/:property": observeHeldAggregates,
            "/v1/observe/aggregates/objects/:class/:key/:property/*steps": observeHeldAggregates,
        ]
    }

    /// `POST /v1/query/…`: a read whose parameters are a form in the body, because they would be too long for a URL.
    /// The path after `query` is that of the resource.
    ///
    /// - Parameter router: has the routes of `reads`.
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
