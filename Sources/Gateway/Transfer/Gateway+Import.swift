import AccessRules
import HTTPServer
import JSONCoding
import ObjectModel
import StoreContract

/// What `POST /v1/import/{Class}` is to do, read from a request.
private struct ImportOrder: Sendable {
    let objectClass: ClassSchema
    let schema: Schema
    let format: TransferFormat
    let escapesFormulas: Bool
    let policy: UpdatePolicy
    let isAtomic: Bool
    let view: AccessView
    /// Bytes of the largest file that becomes one transaction.
    let wholeLimit: Int
    let file: BodyFile
    let request: Request
    /// Bytes that the file may expand to.
    let limit: Int

    func run(
        in store: any Store, progress: @escaping @Sendable (ObjectImporter.Outcome) -> Void
    ) throws -> ObjectImporter.Outcome {
        let importer = ObjectImporter(
            store: store, objectClass: objectClass, schema: schema, policy: policy, view: view, wholeLimit: wholeLimit)
        let source = try ByteSource(file, of: request, limit: limit)
        switch format {
        case .ndjson:
            return try run(importer, NDJSONRowSource(source, class: objectClass, schema: schema), progress)
        case .csv:
            let rows = try CSVRowSource(
                source, class: objectClass, schema: schema, escapesFormulas: escapesFormulas)
            return try run(importer, rows, progress)
        }
    }

    private func run(
        _ importer: ObjectImporter, _ source: sending some RowSource,
        _ progress: @escaping @Sendable (ObjectImporter.Outcome) -> Void
    ) throws -> ObjectImporter.Outcome {
        if isAtomic { return try importer.runAsWhole(source, progress: progress) }
        var source = source
        return try importer.run(&source, progress: progress)
    }
}

extension Gateway {
    /// - Parameter onFile: registers a route whose bodies come as files of so many bytes at most.
    func onTransfer(_ on: Registration, _ onFile: FileRegistration) {
        onFile(.post, "/v1/import/:class", configuration.importLimit, importObjects)
        on(.get, "/v1/export/:class", exportObjects)
        on(.get, "/v1/backup", getBackup)
    }

    /// `POST /v1/import/{Class}`: objects of an NDJSON or CSV file. The file is read on a thread for such work when all
    /// of it has come; a client that takes `text/event-stream` hears how far it is.
    func importObjects(_ request: Request, _ path: PathParameters) throws -> Reply {
        let order = try importOrder(request, path)
        guard request.header("Accept")?.contains("text/event-stream") == true else {
            return transfers.reply { [self] in
                do {
                    let outcome = try order.run(in: store) { _ in }
                    var response = Response.json(Self.document(of: outcome))
                    if let version = outcome.version, let tag = try store.tag(of: version) {
                        response.headers.add(Mark(version, tag))
                    }
                    return .now(response)
                } catch {
                    return .now(response(to: error))
                }
            }
        }
        return .events { [self] stream in
            transfers.run { [self] in
                do {
                    let outcome = try order.run(in: store) { done in
                        stream.send(
                            SharedBytes.event(name: "progress", data: Self.document(of: done, in: order.file.count)))
                    }
                    stream.send(SharedBytes.event(name: "done", data: Self.document(of: outcome)))
                } catch {
                    let json = JSONWriter(capacity: 512)
                    problem(of: error).encode(into: json)
                    stream.send(SharedBytes.event(name: "error", data: json.bytes))
                }
                stream.close()
            }
        }
    }

    private func importOrder(_ request: Request, _ path: PathParameters) throws -> ImportOrder {
        let parameters = try QueryParameters(request, single: ["format", "update", "atomic", Self.escapeFormulas])
        let view = try caller(of: request).view
        let schema = try snapshot(for: request).schema
        let objectClass = try schema.named(path["class"] ?? "")
        guard !objectClass.isEmbedded else {
            throw Problem(
                422, StoreError.Code.embeddedWithoutOwner.rawValue,
                "'\(objectClass.name)' is a class of embedded objects, which are imported within the objects that own them."
            )
        }
        let policy = try parameters.choice("update", default: UpdatePolicy.error)
        guard policy == .error || objectClass.primaryKey != nil else {
            throw Problem(
                422, StoreError.Code.noPrimaryKey.rawValue,
                "'\(objectClass.name)' does not have a primary key and can not be updated. Leave 'update' out.",
                parameter: "update")
        }
        let format = try importFormat(request, parameters)
        guard let file = request.bodyFile else {
            throw Problem(400, "import.empty", "Send the file as the body of the request.")
        }
        // Before anything else is done for a body that nobody can read.
        _ = try request.contentCoding
        return ImportOrder(
            objectClass: objectClass, schema: schema, format: format,
            escapesFormulas: try escapesFormulas(parameters, format), policy: policy,
            isAtomic: try parameters.flag("atomic"), view: view, wholeLimit: configuration.atomicImportLimit,
            file: file, request: request, limit: configuration.importLimit)
    }

    /// What the body is declared as. `format` alone does not do: a web page can have a browser send what is declared as
    /// plain text, as a form or not at all without asking the server first. An empty body needs no declaration.
    private func importFormat(_ request: Request, _ parameters: QueryParameters) throws(Problem) -> TransferFormat {
        let named = parameters["format"] == nil ? nil : try parameters.choice("format", default: TransferFormat.ndjson)
        if request.header("Content-Type") == nil, request.bodyFile?.count == 0 { return named ?? .ndjson }
        let type = request.header("Content-Type") ?? ""
        // Lines of JSON are JSON to those who know no other name for it.
        let declared = TransferFormat(mediaType: type) ?? (named == .ndjson && Request.isJSON(type) ? .ndjson : nil)
        guard let declared, named ?? declared == declared else {
            throw Problem(
                415, "unsupported_media_type",
                "Send the file with Content-Type: \((named ?? .ndjson).name)"
                    + (named == nil ? " or Content-Type: \(TransferFormat.csv.name)." : "."))
        }
        return declared
    }

    /// - Parameter total: bytes of the file while the import goes on.
    private static func document(of outcome: ObjectImporter.Outcome, in total: Int? = nil) -> [UInt8] {
        let json = JSONWriter(capacity: 256)
        json.beginObject()
        if let version = outcome.version {
            json.name("version")
            json.int(version.rawValue)
        }
        for (name, number) in [
            ("created", outcome.created), ("modified", outcome.modified), ("refused", outcome.refused),
        ] {
            json.name(name)
            json.int(number)
        }
        if let total {
            json.name("bytes")
            json.int(outcome.bytes)
            json.name("total")
            json.int(total)
        } else {
            json.lines(outcome.faults)
        }
        json.endObject()
        return json.bytes
    }
}

extension JSONWriter {
    /// The member `errors` of an answer about a file.
    func lines(_ faults: [LineFault]) {
        name("errors")
        beginArray()
        for fault in faults {
            beginObject()
            name("line")
            int(fault.line)
            name("code")
            string(fault.code)
            name("detail")
            string(fault.message)
            endObject()
        }
        endArray()
    }
}

extension Problem {
    /// A file of which nothing was imported, because some of it could not be.
    init(_ refusal: ObjectImporter.Refusal) {
        let outcome = refusal.outcome
        self.init(
            422, "import.refused",
            "\(outcome.refused) lines do not fit, so nothing was imported. Mend them, or leave 'atomic' out to import the others."
        )
        lines = outcome.faults
    }

    /// A file that is too large to be imported as a whole.
    init(_ fault: ObjectImporter.TooLarge) {
        self.init(
            413, "import.too_large",
            "One transaction takes files of up to \(fault.limit >> 20) MiB, because it is in memory until it is on the disk. Leave 'atomic' out, or cut the file into parts: with update=modified an import that broke off can be done again."
        )
    }

    init(_ fault: TransferFault) { self.init(400, "import.unreadable", fault.message) }
}
