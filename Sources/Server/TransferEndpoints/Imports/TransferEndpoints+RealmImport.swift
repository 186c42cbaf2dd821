import HTTPMessages
package import HTTPServer
import JSONCoding
import ObjectCoding
import ObjectModel
import RealmImport
import RequestHandling
import RequestParameters
import StoreContract

extension TransferEndpoints {
    /// `POST /v1/import`: imports a Realm file with all its classes, in one commit, or with `dryRun` says what that would
    /// do. A worker reads the file after all of it has arrived; a client that accepts `text/event-stream` receives the
    /// progress. The import ends if its client disconnects, and then nothing was imported.
    package func importRealmFile(_ request: Request, _ path: PathParameters) throws -> Reply {
        let terms = try realmTerms(request, path)
        guard let body = request.bodyFile, body.count > 0 else {
            throw Problem(.importEmpty, "Send the Realm file as the body of the request.")
        }
        let limit = min(context.settings.now.atomicImportLimit, context.settings.now.importLimit)
        guard body.count <= limit else { throw RealmUpload.tooLarge(limit) }
        let upload = RealmUpload(
            terms: terms, body: body, request: request, limit: limit, bodyLimit: context.settings.now.importLimit,
            expansion: ExpansionLimit(context.settings.now),
            scratch: context.settings.now.scratchDirectory)
        let form = TransferForm<RealmImporter.Progress, RealmUpload.Outcome>(
            progress: { Self.document(of: $0) }, done: { Self.document(of: $0) },
            response: { [store = context.store] outcome in
                var response = Response.json(Self.document(of: outcome))
                if case .imported(let report, _, _, _) = outcome, let tag = try store.tag(of: report.version) {
                    response.headers.add(Mark(report.version, tag))
                }
                return response
            })
        return try reply(transferring: request, as: form) { [store = context.store] in
            try upload.run(in: store, progress: $0)
        }
    }

    /// Reads what a request for an import says besides its body.
    package func realmTerms(_ request: Request, _ path: PathParameters) throws -> RealmUploadTerms {
        // A program defines its own classes.
        guard context.settings.now.schemaApproval == nil else {
            throw Problem(
                .schemaFixed,
                "The classes of this database are those of a program. Give the Realm file to that program as the seedFilePath of its realm."
            )
        }
        return try RealmUploadTerms(
            request, limit: min(context.settings.now.atomicImportLimit, context.settings.now.importLimit))
    }

    private static func document(of reached: RealmImporter.Progress) -> [UInt8] {
        let json = JSONWriter(capacity: 96)
        json.beginObject()
        json.member("class", reached.className)
        json.member("objects", reached.done)
        json.member("total", reached.total)
        json.endObject()
        return json.bytes
    }

    private static func document(of outcome: RealmUpload.Outcome) -> [UInt8] {
        let json = JSONWriter(capacity: 2048)
        json.beginObject()
        switch outcome {
        case .preview(let preview): json.preview(preview)
        case .imported(let report, let notes, let format, let schemaVersion):
            json.member("version", report.version.rawValue)
            json.member("format", format)
            json.member("schemaVersion", schemaVersion)
            json.report(report)
            json.strings("notes", notes)
        }
        json.endObject()
        return json.bytes
    }
}

extension JSONWriter {
    fileprivate func member(_ name: String, _ number: Int) {
        self.name(name)
        int(number)
    }

    fileprivate func member(_ name: String, _ number: UInt64) {
        self.name(name)
        int(number)
    }

    fileprivate func member(_ name: String, _ text: String?) {
        self.name(name)
        if let text { string(text) } else { null() }
    }

    fileprivate func member(_ name: String, _ flag: Bool) {
        self.name(name)
        bool(flag)
    }

    fileprivate func strings(_ name: String, _ texts: [String]) {
        self.name(name)
        beginArray()
        for text in texts { string(text) }
        endArray()
    }

    fileprivate func preview(_ preview: RealmPreview) {
        member("format", preview.format)
        member("schemaVersion", preview.schemaVersion)
        member("objects", preview.classes.reduce(0) { $0 + ($1.isLeftOut ? 0 : $1.objects) })
        name("classes")
        beginArray()
        for one in preview.classes {
            beginObject()
            member("name", one.name)
            member("source", one.source)
            member("embedded", one.isEmbedded)
            member("leftOut", one.isLeftOut)
            member("new", one.isNew)
            member("objects", one.objects)
            member("present", one.present)
            endObject()
        }
        endArray()
        member("lostLinks", preview.lostLinks)
        strings("notes", preview.notes)
        name("refusal")
        if let refusal = preview.refusal {
            beginObject()
            member("code", refusal.reason.rawValue)
            member("detail", refusal.message)
            name("obstacles")
            beginArray()
            for obstacle in refusal.obstacles.prefix(RealmImportError.lineLimit) {
                beginObject()
                member("detail", obstacle.sentence)
                member("name", obstacle.name)
                member("way", obstacle.remedy?.rawValue)
                endObject()
            }
            endArray()
            endObject()
        } else {
            null()
        }
    }

    fileprivate func report(_ report: RealmImportReport) {
        member("objects", report.objects)
        name("classes")
        beginArray()
        for one in report.classes {
            beginObject()
            member("name", one.name)
            member("embedded", one.isEmbedded)
            member("objects", one.objects)
            member("present", one.present)
            member("modified", one.modified)
            name("numbers")
            beginArray()
            for numbers in one.numbers {
                beginObject()
                member("property", numbers.property)
                member("count", numbers.count)
                member("sum", numbers.sum)
                member("minimum", numbers.minimum)
                member("maximum", numbers.maximum)
                endObject()
            }
            endArray()
            endObject()
        }
        endArray()
        member("lostLinks", report.lostLinks)
    }
}
