import HTTPMessages
package import HTTPServer
import JSONCoding
import ObjectCoding
import ObjectModel
package import OpenAPIDescription
package import RequestHandling
import RequestParameters
import StoreContract
import WireProtocol
import WriteRequests

/// The schema, and the description of the API that follows from it.
package final class SchemaEndpoints: Sendable {
    let context: GatewayContext
    /// Nil for a gateway without a description of its API.
    private let description: APIDescription?

    package init(_ context: GatewayContext, _ description: APIDescription?) {
        self.context = context
        self.description = description
    }

    package func getSchema(_ request: Request, _ path: PathParameters) throws -> Reply {
        let format = try QueryParameters(request, single: ["format"]).choice("format", default: SchemaFormat.json)
        try requireWorker(forLarge: try context.store.snapshot().schema, request)
        let (response, mark) = try schemaResponse(for: request, as: format)
        let tag = EntityTag(response.headers["ETag"].map { String($0.dropFirst().dropLast()) } ?? "")
        return .now(try request.notModified(tag, at: mark) ?? response)
    }

    package func putSchema(_ request: Request, _ path: PathParameters) throws -> Reply {
        _ = try QueryParameters(request, single: [])
        try request.requireWorker()
        let document = try Self.document(request)
        let snapshot = try context.store.snapshot()
        if let refusal = refusal(of: SchemaPlan(document, for: snapshot), snapshot.schema) { throw refusal }
        return .later { [self] responder in
            replaceSchema(with: document) { [self] outcome in
                do {
                    _ = try outcome.get()
                    responder.send(try schemaResponse(for: request).response)
                } catch {
                    responder.send(context.response(to: error))
                }
            }
        }
    }

    /// Returns what `putSchema` would do, without doing it.
    package func planSchema(_ request: Request, _ path: PathParameters) throws -> Reply {
        _ = try QueryParameters(request, single: [])
        try request.requireWorker()
        let document = try Self.document(request)
        let json = JSONWriter()
        let snapshot = try context.store.snapshot()
        let plan = SchemaPlan(document, for: snapshot)
        plan.encode(refusal: refusal(of: plan, snapshot.schema), into: json)
        return .now(.json(json.bytes))
    }

    /// Throws on a loop's thread if the schema is so large that processing it takes long.
    func requireWorker(forLarge schema: Schema, _ request: Request) throws(NeedsWorker) {
        var properties = 0
        for objectClass in schema.classes {
            properties += 1 + objectClass.properties.count
            if properties > Self.maximumQuickProperties { try request.requireWorker() }
        }
    }

    /// Writing each property takes some microseconds.
    private static let maximumQuickProperties = 500

    private static func document(_ request: Request) throws -> SchemaDocument {
        do {
            return try SchemaDocument(try request.json())
        } catch let error as SchemaFaults {
            throw problem(error.faults)
        }
    }

    private func schemaResponse(
        for request: Request, as format: SchemaFormat = .json
    ) throws -> (response: Response, mark: Mark) {
        let snapshot = try context.snapshot(for: request)
        var response: Response
        switch format {
        case .json:
            let json = JSONWriter()
            SchemaCoding.encode(snapshot.schema, into: json)
            response = .json(json.bytes)
            response.headers["ETag"] = EntityTag(row: json, of: snapshot.mark).header
        case .typescript:
            let text = Array(TypeScriptDeclarations.text(of: snapshot.schema).utf8)
            response = Response(contentType: "application/typescript; charset=utf-8", body: text)
            response.headers["ETag"] = EntityTag(text.withUnsafeBufferPointer { Fingerprint.text(of: $0) }).header
        }
        response.headers.add(snapshot.mark)
        return (response, snapshot.mark)
    }

    private static func problem(_ faults: [SchemaFault]) -> Problem {
        var problem = Problem(
            StoreError.Code.schemaInvalid,
            faults.count == 1
                ? faults[0].message : "The schema has \(faults.count) faults. The first: \(faults[0].message)",
            hint: faults.first?.hint)
        problem.faults = faults
        return problem
    }

    // MARK: Approval

    /// Returns why a document cannot be applied or is not permitted; nil if only the data can still prevent it.
    private func refusal(of plan: SchemaPlan, _ present: Schema) -> Problem? {
        if let keeper = context.settings.now.schemaApproval, !plan.isEmpty,
            let refusal = keeper.refusal(from: present, to: plan.document.schema)
        {
            return refusal
        }
        return plan.refusal
    }

    private func replaceSchema(
        with document: SchemaDocument, completion: @escaping @Sendable (Result<Version, any Error>) -> Void
    ) {
        let migration = Migration(steps: document.steps)
        guard let keeper = context.settings.now.schemaApproval else {
            return context.store.replaceSchema(with: document.schema, migration: migration, completion: completion)
        }
        keeper.replaceSchema(with: document.schema, migration: migration, completion: completion)
    }

    // MARK: The description of the API

    /// `/openapi.json` for the schema that the caller sees.
    package func getDescription(_ request: Request, _ path: PathParameters) throws -> Reply {
        guard let description else {
            throw Problem(HTTPError.Code.notFound, "This gateway was started without a description of its API.")
        }
        let control = context.settings.now.accessControl
        let security = DescriptionSecurity(
            isOn: control.map { !$0.isOpen } ?? false,
            takesAnonymous: control?.roleNames.contains("anonymous") ?? true)
        var schema = try context.snapshot(for: request).schema
        if let names = request.query("classes") {
            let names = try names.split(separator: ",").map { name in
                try schema.named(String(name)).name
            }
            schema = schema.selecting(Set(names))
        }
        try requireWorker(forLarge: schema, request)
        let limit = context.settings.now.answerBytes
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
        return .now(try request.notModified(tag) ?? response)
    }
}

/// The forms in which a client can read the schema.
private enum SchemaFormat: String, CaseIterable {
    case json
    case typescript
}
