import AccessRules
import HTTPMessages
package import HTTPServer
import JSONCoding
import ObjectCoding
import ObjectModel
import RequestHandling
import RequestParameters
import StoreContract
import Transfer
import WireProtocol

/// What the target and the header of a `POST /v1/import/{Class}` say.
package struct ImportTerms: Sendable {
    let objectClass: ClassSchema
    let schema: Schema
    let format: TransferFormat
    let escapesFormulas: Bool
    let policy: UpdatePolicy
    let isAtomic: Bool
}

/// A parsed `POST /v1/import/{Class}`.
private struct ImportOrder: Sendable {
    let terms: ImportTerms
    let view: AccessView
    /// The maximum size in bytes of a file that is imported in one transaction.
    let wholeLimit: Int
    let file: BodyFile
    let request: Request
    /// The maximum decompressed size in bytes.
    let limit: Int

    /// The limits of the import.
    let bounds: Bounds
    /// Returns the memory for long lines.
    let lines: @Sendable (TransferWatch?) -> LongLines

    struct Bounds: Sendable {
        /// The number of lines that may be rejected.
        var faults: Int?
        var expansion: ExpansionLimit
        /// The maximum time in seconds without a valid line.
        var stall: Int?
    }

    /// Throws `ObjectImporter.Refusal` and `ObjectImporter.Failure`.
    func run(
        in store: any Store, progress: @escaping @Sendable (ObjectImporter.Outcome) -> Void
    ) throws -> ObjectImporter.Outcome {
        let importer = ObjectImporter(
            store: store, objectClass: terms.objectClass, schema: terms.schema, policy: terms.policy, view: view,
            wholeLimit: wholeLimit, faultLimit: bounds.faults)
        // A single transaction makes every other write wait.
        let watch = TransferWatch(stall: bounds.stall, mayPause: !terms.isAtomic)
        let report: @Sendable (ObjectImporter.Outcome) throws -> Void = { outcome in
            watch.advance()
            try watch.check()
            progress(outcome)
        }
        do {
            try watch.check()
            let source = try ByteSource(file, of: request, limit: limit)
            // A single transaction runs on the writer's thread, which must not wait for those that wait for it.
            source.lineMemory = lines(terms.isAtomic ? nil : watch)
            let most = try bounds.expansion.bytes(of: file, request)
            source.check = { [isAtomic = terms.isAtomic, wholeLimit] expanded in
                try watch.check()
                try most?.check(expanded)
                if isAtomic, expanded > wholeLimit { throw ObjectImporter.TooLarge(limit: wholeLimit) }
            }
            switch terms.format {
            case .ndjson:
                let rows = NDJSONRowSource(source, class: terms.objectClass, schema: terms.schema)
                return try run(importer, rows, report)
            case .csv:
                let rows = try CSVRowSource(
                    source, class: terms.objectClass, schema: terms.schema, escapesFormulas: terms.escapesFormulas)
                return try run(importer, rows, report)
            }
        } catch let failure as ObjectImporter.Failure {
            throw failure
        } catch let refusal as ObjectImporter.Refusal {
            throw refusal
        } catch {
            throw ObjectImporter.Failure(error)
        }
    }

    private func run(
        _ importer: ObjectImporter, _ source: sending some RowSource,
        _ progress: @escaping @Sendable (ObjectImporter.Outcome) throws -> Void
    ) throws -> ObjectImporter.Outcome {
        if terms.isAtomic { return try importer.runAsWhole(source, progress: progress) }
        var source = source
        return try importer.run(&source, progress: progress)
    }
}

extension TransferEndpoints {
    /// `POST /v1/import/{Class}`: imports the objects of an NDJSON or CSV file. A worker reads the file after all of it
    /// has arrived; a client that accepts `text/event-stream` receives the progress. The import ends if its client
    /// disconnects.
    package func importObjects(_ request: Request, _ path: PathParameters) throws -> Reply {
        let order = try importOrder(request, path)
        let form = TransferForm<ObjectImporter.Outcome, ObjectImporter.Outcome>(
            progress: { Self.document(of: $0, in: order.file.count) }, done: { Self.document(of: $0) },
            response: { [store = context.store] outcome in
                var response = Response.json(Self.document(of: outcome))
                if let version = outcome.version, let tag = try store.tag(of: version) {
                    response.headers.add(Mark(version, tag))
                }
                return response
            })
        return try reply(transferring: request, as: form) { [store = context.store] in
            try order.run(in: store, progress: $0)
        }
    }

    private func importOrder(_ request: Request, _ path: PathParameters) throws -> ImportOrder {
        let terms = try importTerms(request, path)
        guard let file = request.bodyFile else {
            throw Problem(.importEmpty, "Send the file as the body of the request.")
        }
        return ImportOrder(
            terms: terms, view: try context.caller(of: request).view,
            wholeLimit: context.settings.now.atomicImportLimit, file: file,
            request: request, limit: context.settings.now.importLimit,
            bounds: ImportOrder.Bounds(
                faults: context.settings.now.importFaults, expansion: ExpansionLimit(context.settings.now),
                stall: context.settings.now.importStall), lines: { [self] in longLines(of: request, $0) })
    }

    /// Reads what a request for an import says besides its body.
    package func importTerms(_ request: Request, _ path: PathParameters) throws -> ImportTerms {
        let parameters = try QueryParameters(request, single: ["format", "update", "atomic", Self.escapeFormulas])
        let schema = try context.snapshot(for: request).schema
        let objectClass = try schema.named(path["class"] ?? "")
        guard !objectClass.isEmbedded else {
            throw Problem(
                StoreError.Code.embeddedWithoutOwner,
                "'\(objectClass.name)' is a class of embedded objects, which are imported within the objects that own them."
            )
        }
        let policy = try parameters.choice("update", default: UpdatePolicy.error)
        guard policy == .error || objectClass.primaryKey != nil else {
            throw Problem(
                StoreError.Code.noPrimaryKey,
                "'\(objectClass.name)' does not have a primary key and can not be updated. Leave 'update' out.",
                parameter: "update")
        }
        let format = try importFormat(request, parameters)
        // Checked first, before any work for a body that cannot be read.
        _ = try request.contentCoding
        return ImportTerms(
            objectClass: objectClass, schema: schema, format: format,
            escapesFormulas: try escapesFormulas(parameters, format), policy: policy,
            isAtomic: try parameters.flag("atomic"))
    }

    /// Determines the format from the content type. `format` alone is not sufficient: a web page can make a browser
    /// send a body that is declared as plain text, as a form or not at all without a preflight request. An empty body
    /// needs no content type.
    func importFormat(_ request: Request, _ parameters: QueryParameters) throws(Problem) -> TransferFormat {
        let named = parameters["format"] == nil ? nil : try parameters.choice("format", default: TransferFormat.ndjson)
        if request.header("Content-Type") == nil, request.hasEmptyFile { return named ?? .ndjson }
        let type = request.header("Content-Type") ?? ""
        // Some clients know only JSON as the name for lines of JSON.
        let declared = TransferFormat(mediaType: type) ?? (named == .ndjson && Request.isJSON(type) ? .ndjson : nil)
        guard let declared, named ?? declared == declared, FieldElement(type).isUTF8 else {
            throw Problem(
                .unsupportedMediaType,
                "Send the file as UTF-8 with Content-Type: \((named ?? .ndjson).name)"
                    + (named == nil ? " or Content-Type: \(TransferFormat.csv.name)." : "."))
        }
        return declared
    }

    /// - Parameter total: the size of the file in bytes during the import.
    private static func document(of outcome: ObjectImporter.Outcome, in total: Int? = nil) -> [UInt8] {
        let json = JSONWriter(capacity: 256)
        json.beginObject()
        if let version = outcome.version {
            json.name("version")
            json.int(version.rawValue)
        }
        json.importNumbers([
            ("created", outcome.created), ("modified", outcome.modified), ("refused", outcome.refused),
        ])
        if let total {
            json.importNumbers([("bytes", outcome.bytes), ("total", total)])
        } else {
            json.lines(outcome.faults)
        }
        json.importNumbers([
            ("unchanged", outcome.unchanged), ("incomplete", outcome.incomplete), ("lines", outcome.lines),
        ])
        json.endObject()
        return json.bytes
    }
}

extension JSONWriter {
    fileprivate func importNumbers(_ members: [(String, Int)]) {
        for (member, number) in members {
            name(member)
            int(number)
        }
    }
}

extension AccessView: ImportView {}

extension Request {
    /// Whether the body that is received into a file is empty, or may be, because it has not come and has no length.
    fileprivate var hasEmptyFile: Bool {
        guard let bodyFile else { return header("Transfer-Encoding") != nil }
        return bodyFile.count == 0
    }
}

extension ExpandedFile: ExpandedBytes {}

extension ByteSource {
    /// Reads the body of a request, decompressed if the request declares a compression.
    ///
    /// - Parameter limit: the maximum size of the decompressed body in bytes.
    package convenience init(_ file: BodyFile, of request: Request? = nil, limit: Int = .max) throws {
        self.init(
            file.descriptor, "the body", owner: file,
            expanded: try request.flatMap { try ExpandedFile(bodyOf: $0, limit: limit) })
    }
}
