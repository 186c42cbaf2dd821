import HTTPServer
import JSONCoding
import ObjectModel
import StoreContract

extension Gateway {
    func getSchema(_ request: Request, _ path: PathParameters) throws -> Reply {
        _ = try QueryParameters(request, single: [])
        let response = try schemaResponse()
        let tag = EntityTag(response.headers["ETag"].map { String($0.dropFirst().dropLast()) } ?? "")
        return .now(try notModified(request, tag) ?? response)
    }

    func putSchema(_ request: Request, _ path: PathParameters) throws -> Reply {
        _ = try QueryParameters(request, single: [])
        let schema: Schema
        do {
            schema = try SchemaCoding.decode(try request.json())
        } catch let error as SchemaFaults {
            throw Self.problem(error.faults)
        }
        let faults = schema.faults()
        guard faults.isEmpty else { throw Self.problem(faults.map { SchemaFault(path: "$.classes", message: $0) }) }
        return .later { [self] responder in
            store.replaceSchema(with: schema, migration: nil) { [self] outcome in
                do {
                    _ = try outcome.get()
                    responder.answer(try schemaResponse())
                } catch {
                    responder.answer(response(to: error))
                }
            }
        }
    }

    private func schemaResponse() throws -> Response {
        let json = JSONWriter()
        SchemaCoding.encode(try store.snapshot().schema, into: json)
        var response = Response.json(json.bytes)
        response.headers["ETag"] = EntityTag(row: json).header
        return response
    }

    private static func problem(_ faults: [SchemaFault]) -> Problem {
        var problem = Problem(
            422, StoreError.Code.schemaInvalid.rawValue,
            faults.count == 1
                ? faults[0].message : "The schema has \(faults.count) faults. The first: \(faults[0].message)",
            hint: faults.first?.hint)
        problem.faults = faults
        return problem
    }
}
