import HTTPMessages
import HTTPServer
import ObjectCoding
import RealmFileKeys
import RealmFiles
import RealmImport
import RequestHandling
import RequestParameters
import StoreContract
import Transfer
import WireProtocol

/// What the target and the header of a `POST /v1/import` say.
package struct RealmUploadTerms: Sendable {
    let selection: RealmSelection
    let policy: UpdatePolicy
    let isDryRun: Bool
    /// Of an encrypted file. It is in a header, because targets are in logs.
    let key: [UInt8]?
}

/// A Realm file that an administrator uploads.
struct RealmUpload: Sendable {
    let terms: RealmUploadTerms
    let body: BodyFile
    let request: Request
    /// The maximum size in bytes, after it is expanded.
    let limit: Int
    /// That of all bodies.
    let bodyLimit: Int
    let expansion: ExpansionLimit
    let scratch: String

    /// What an import or its rehearsal found.
    enum Outcome: Sendable {
        case preview(RealmPreview)
        case imported(RealmImportReport, notes: [String], format: Int, schemaVersion: UInt64)
    }

    /// Imports the file as a whole, or says what that would do.
    func run(
        in store: any Store, progress: @escaping @Sendable (RealmImporter.Progress) -> Void
    ) throws -> Outcome {
        // The import makes every other write wait, and a rehearsal none.
        let watch = TransferWatch(mayPause: terms.isDryRun)
        return try withFile(watch) { file in
            try watch.check()
            if terms.isDryRun {
                let snapshot = try store.snapshot()
                var preview = try RealmPreview(file, terms.selection, into: snapshot, terms.policy) {
                    try watch.check()
                }
                try preview.rehearse(file, terms.selection, into: snapshot, terms.policy) { reached in
                    try watch.check()
                    progress(reached)
                }
                return .preview(preview)
            }
            let classes = try RealmClasses(file, terms.selection)
            let report = try RealmImporter(file, classes, into: store, terms.policy).run { reached in
                try watch.check()
                progress(reached)
            }
            return .imported(
                report, notes: classes.notes + report.notes, format: file.format, schemaVersion: file.schemaVersion ?? 0
            )
        }
    }

    /// Opens the body, which has no name, and which no other program has, so that it need not be in memory. What is
    /// compressed is expanded to a file of the same kind first.
    private func withFile<R>(_ watch: TransferWatch, _ work: (RealmFile) throws -> R) throws -> R {
        guard try request.contentCoding != nil else {
            return try work(try RealmFile(ownDescriptor: body.descriptor, key: terms.key))
        }
        let copy = try CheckedFile(in: scratch, of: "Realm file")
        let source = try ByteSource(body, of: request, limit: bodyLimit)
        let most = try expansion.bytes(of: body, request)
        source.check = { expanded in
            try watch.check()
            try most?.check(expanded)
        }
        try copy.write(source) { [limit] bytes in guard bytes <= limit else { throw Self.tooLarge(limit) } }
        return try copy.withDescriptor { try work(try RealmFile(ownDescriptor: $0, key: terms.key)) }
    }

    static func tooLarge(_ limit: Int) -> Problem {
        Problem(
            .importTooLarge,
            "A Realm file is imported in one transaction, which is in memory until it is on disk, so it may have \(sizeInWords(limit)) (limits.atomicImport). Raise the limit, or import the file where the server runs: realmgate import FILE --data DATABASE."
        )
    }
}

extension RealmUploadTerms {
    static let mediaType = "application/x-realm"

    init(_ request: Request, limit: Int) throws {
        let parameters = try QueryParameters(
            request, single: ["dryRun", "update"], repeatable: ["rename", "leaveOut"])
        // Checked first, before any work for a body that cannot be read.
        guard FieldElement(request.header("Content-Type") ?? "").name == Self.mediaType else {
            throw Problem(
                .unsupportedMediaType,
                "Send the Realm file with Content-Type: \(Self.mediaType). Objects of one class are imported at /v1/import/{class}."
            )
        }
        _ = try request.contentCoding
        if let length = request.header("Content-Length").flatMap({ Int($0) }), length > limit {
            throw RealmUpload.tooLarge(limit)
        }
        selection = RealmSelection(
            renames: parameters.all("rename"), leftOut: parameters.all("leaveOut"), style: .parameters)
        do throws(RealmImportError) {
            try selection.check()
        } catch {
            throw Problem(error)
        }
        policy = try parameters.choice("update", default: UpdatePolicy.error)
        isDryRun = try parameters.flag("dryRun")
        key = try request.header(HeaderName.encryptionKey).map { text throws(Problem) in
            guard let key = RealmFile.key(hexadecimal: text.utf8) else {
                throw Problem(
                    .headerInvalid,
                    "The key of a Realm file has \(RealmFile.keyLength) bytes: send \(2 * RealmFile.keyLength) hexadecimal digits.",
                    parameter: HeaderName.encryptionKey)
            }
            return key
        }
    }
}
