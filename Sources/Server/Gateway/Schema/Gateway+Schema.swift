import HTTPServer
import JSONCoding
import ObjectCoding
import ObjectModel
import StoreContract
import WriteRequests

extension Gateway {
    func getSchema(_ request: Request, _ path: PathParameters) throws -> Reply {
        let format = try QueryParameters(request, single: ["format"]).choice("format", default: SchemaFormat.json)
        try requireWorker(forLarge: try store.snapshot().schema, request)
        let (response, mark) = try schemaResponse(for: request, as: format)
        let tag = EntityTag(response.headers["ETag"].map { String($0.dropFirst().dropLast()) } ?? "")
        return .now(try notModified(request, tag, at: mark) ?? response)
    }

    func putSchema(_ request: Request, _ path: PathParameters) throws -> Reply {
        _ = try QueryParameters(request, single: [])
        try request.requireWorker()
        let document = try Self.document(request)
        let snapshot = try store.snapshot()
        if let refusal = refusal(of: SchemaPlan(document, for: snapshot), snapshot.schema) { throw refusal }
        return .later { [self] responder in
            replaceSchema(with: document) { [self] outcome in
                do {
                    _ = try outcome.get()
                    responder.answer(try schemaResponse(for: request).response)
                } catch {
                    responder.answer(response(to: error))
                }
            }
        }
    }

    /// Returns what `putSchema` would do, without doing it.
    func planSchema(_ request: Request, _ path: PathParameters) throws -> Reply {
        _ = try QueryParameters(request, single: [])
        try request.requireWorker()
        let document = try Self.document(request)
        let json = JSONWriter()
        let snapshot = try store.snapshot()
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
        let snapshot = try snapshot(for: request)
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
}

/// The forms in which a client can read the schema.
private enum SchemaFormat: String, CaseIterable {
    case json
    case typescript
}
