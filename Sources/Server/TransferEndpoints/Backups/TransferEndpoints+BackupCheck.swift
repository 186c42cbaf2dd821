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

/// A parsed `POST /v1/backup/check`.
private struct CheckOrder: Sendable {
    let file: BodyFile
    let request: Request
    /// The maximum decompressed size in bytes.
    let limit: Int
    let expansion: ExpansionLimit
    let scratch: String
    /// The maximum time of the check in seconds, without its pauses.
    let seconds: Int

    /// The work done so far.
    struct Progress: Sendable {
        /// The bytes of the file that were received and unpacked.
        var bytes = 0
        /// The objects that were checked.
        var objects = 0
    }

    /// Copies the file, which has no name, to one with a name, and checks that.
    func run(in store: any Store, progress: (Progress) -> Void) throws -> (report: CopyReport, bytes: Int) {
        let watch = TransferWatch()
        let begun = watch.worked
        @Sendable func check() throws {
            try watch.check()
            guard watch.worked - begun <= Int64(seconds) * 1_000_000_000 else {
                throw Problem(
                    .backupTooSlow,
                    "The check took more than \(seconds) s, so it ended. Check the backup with: realmgate check FILE.")
            }
        }
        var done = Progress()
        let copy = try CheckedFile(in: scratch)
        let source = try ByteSource(file, of: request, limit: limit)
        let most = try expansion.bytes(of: file, request)
        source.check = { expanded in
            try check()
            try most?.check(expanded)
        }
        var said = 0
        try copy.write(source) { bytes in
            done.bytes = bytes
            guard bytes - said >= 8 << 20 else { return }
            said = bytes
            progress(done)
        }
        done.bytes = copy.count
        progress(done)
        var report = try store.checkCopy(at: copy.path) { objects in
            try check()
            done.objects = objects
            if objects % 10_000 == 0 { progress(done) }
        }
        // The file has another name for the caller.
        report.faults = report.faults.map { $0.replacing("'\(copy.path)'", with: "The file") }
        return (report, copy.count)
    }
}

extension TransferEndpoints {
    /// `POST /v1/backup/check`: checks a backup that an administrator uploads, and changes nothing. A client that accepts
    /// `text/event-stream` receives the progress. The check ends if its client disconnects.
    package func checkBackup(_ request: Request, _ path: PathParameters) throws -> Reply {
        _ = try QueryParameters(request, single: [])
        // An empty body needs no type.
        if request.bodyFile?.count != 0 { try checkTerms(request, path) }
        guard let file = request.bodyFile, file.count > 0 else {
            throw Problem(.importEmpty, "Send the backup as the body of the request.")
        }
        let order = CheckOrder(
            file: file, request: request, limit: context.settings.now.importLimit,
            expansion: ExpansionLimit(context.settings.now),
            scratch: context.settings.now.scratchDirectory, seconds: context.settings.now.backupCheckSeconds)
        let form = TransferForm<CheckOrder.Progress, (report: CopyReport, bytes: Int)>(
            progress: { Self.document(of: $0, in: order.file.count) },
            done: { Self.document(of: $0.report, $0.bytes) },
            response: { .json(Self.document(of: $0.report, $0.bytes)) })
        return try reply(transferring: request, as: form) { [store = context.store] in
            try order.run(in: store, progress: $0)
        }
    }

    /// Checks what a request to check a backup says besides its body.
    package func checkTerms(_ request: Request, _ path: PathParameters) throws {
        _ = try QueryParameters(request, single: [])
        guard FieldElement(request.header("Content-Type") ?? "").name == "application/octet-stream" else {
            throw Problem(
                .unsupportedMediaType, "Send the backup with Content-Type: application/octet-stream.")
        }
        _ = try request.contentCoding
    }

    private static func document(of done: CheckOrder.Progress, in total: Int) -> [UInt8] {
        let json = JSONWriter(capacity: 96)
        json.beginObject()
        json.checkNumbers([("bytes", done.bytes), ("total", total), ("objects", done.objects)])
        json.endObject()
        return json.bytes
    }

    private static func document(of report: CopyReport, _ bytes: Int) -> [UInt8] {
        let json = JSONWriter(capacity: 1024)
        json.beginObject()
        json.name("sound")
        json.bool(report.faults.isEmpty)
        json.name("faults")
        json.beginArray()
        for fault in report.faults { json.string(fault) }
        json.endArray()
        json.name("version")
        if let version = report.version { json.int(version.rawValue) } else { json.null() }
        json.name("schemaVersion")
        if let version = report.schemaVersion { json.int(version) } else { json.null() }
        json.checkNumbers([
            ("bytes", bytes), ("objects", report.objects), ("entries", report.entries),
            ("leakedPages", report.leakedPages),
        ])
        json.name("classes")
        json.beginArray()
        for one in report.classes {
            json.beginObject()
            json.name("name")
            json.string(one.name)
            json.name("embedded")
            json.bool(one.isEmbedded)
            json.checkNumbers([("count", one.count)])
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.bytes
    }
}

extension JSONWriter {
    fileprivate func checkNumbers(_ members: [(String, Int)]) {
        for (member, number) in members {
            name(member)
            int(number)
        }
    }
}
