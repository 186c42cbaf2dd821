import FairScheduling
import HTTPMessages
package import HTTPServer
import ObjectCoding
import ObjectModel
import QueryLanguage
import QuerySyntax
import RequestHandling
import RequestParameters
import StoreContract
import Synchronization
import Transfer
import WriteRequests

/// A file of objects as a response body.
private final class ExportSource: BodySource {
    private let exporter: Mutex<ObjectExporter>
    private let pool: WorkerPool
    private let work: RequestPace
    /// The caller's slot in the quota of the pool.
    private let lease: Quota.Lease

    init(_ exporter: sending ObjectExporter, _ pool: WorkerPool, _ work: RequestPace, _ lease: Quota.Lease) {
        self.exporter = Mutex(exporter)
        self.pool = pool
        self.work = work
        self.lease = lease
    }

    /// Searching for the next objects may take long, so it takes turns with all other long work.
    func next() throws -> [UInt8]? {
        try pool.perform(for: work) {
            try exporter.withLock { exporter in
                var bytes: [UInt8] = []
                while bytes.count < 64 << 10, try exporter.next(into: &bytes) {}
                return bytes.isEmpty ? nil : bytes
            }
        }
    }
}

extension TransferEndpoints {
    static let escapeFormulas = "escapeFormulas"

    /// Whether strings are escaped for spreadsheets, which only CSV supports.
    func escapesFormulas(_ parameters: QueryParameters, _ format: TransferFormat) throws(Problem) -> Bool {
        guard try parameters.flag(Self.escapeFormulas) else { return false }
        guard format == .csv else {
            throw Problem(
                .parameterInvalid,
                "'\(Self.escapeFormulas)' applies to CSV only. Request CSV, or omit it.",
                parameter: Self.escapeFormulas)
        }
        return true
    }

    /// `GET /v1/export/{Class}`: the objects of one version as a file that `POST /v1/import/{Class}` accepts, written
    /// while it is sent.
    package func exportObjects(_ request: Request, _ path: PathParameters) throws -> Reply {
        let parameters = try QueryParameters(
            request, single: QueryReader.parameters + ["limit", "fields", "format", Self.escapeFormulas])
        let collection = try CollectionTarget(class: path, try context.snapshot(for: request))
        let accepted = request.header("Accept").flatMap { TransferFormat(mediaType: $0) }
        let format = try parameters.choice("format", default: accepted ?? .ndjson)
        let escapesFormulas = try self.escapesFormulas(parameters, format)
        var query = try collection.reader(context.settings.now).query(
            parameters, collection.objectClass, in: collection.scope)
        if let limit = try parameters.integer("limit", in: 0...Int.max) { query.steps.append(.limit(limit)) }
        var properties = collection.objectClass.storedProperties
        if let fields = parameters["fields"] {
            properties = try fields.split(separator: ",", omittingEmptySubsequences: false).map { name in
                let property = try collection.objectClass.named(String(name), parameter: "fields")
                guard !property.type.isComputed else {
                    throw Problem(
                        .parameterInvalid,
                        "'\(name)' is computed from links of other objects and cannot be exported.", parameter: "fields"
                    )
                }
                return property
            }
        }
        // Reading while sending has no small bound.
        try request.requireWorker()
        let (snapshot, objectClass) = (collection.snapshot, collection.objectClass)
        let (chosen, order) = (properties, query)
        let lease = try pool.lease(for: request.limitKey)
        let work = RequestPace.current ?? RequestPace(request.limitKey)
        return try context.reply(reading: query.steps.isEmpty ? 0 : collection.size, for: request) {
            let exporter: ObjectExporter
            do {
                exporter = try ObjectExporter(
                    snapshot, order, of: objectClass, properties: chosen, as: format, escapesFormulas: escapesFormulas)
            } catch let fault as TransferError {
                throw Problem(.exportImpossible, fault.message, parameter: "fields")
            }
            let name = String(objectClass.name.unicodeScalars.map { $0.isASCII ? Character($0) : "_" })
            var headers: HeaderFields = [
                "Content-Type": format.mediaType,
                "Content-Disposition": "attachment; filename=\"\(name).\(format.rawValue)\"",
                "ETag": EntityTag(snapshot.mark).header,
            ]
            headers.add(snapshot.mark)
            return Response(headers: headers, body: .pieces(ExportSource(exporter, context.workers, work, lease)))
        }
    }
}
