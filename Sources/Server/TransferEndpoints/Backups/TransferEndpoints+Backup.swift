import FairScheduling
import Glibc
import HTTPMessages
package import HTTPServer
import ObjectModel
import RequestHandling
import RequestParameters
import StoreContract

/// A file as a response body.
private final class FileSource: BodySource {
    private let file: BodyFile
    /// The caller's slot in the quota of the pool.
    private let lease: Quota.Lease

    init(_ file: BodyFile, _ lease: Quota.Lease) {
        self.file = file
        self.lease = lease
    }

    func next() throws -> [UInt8]? {
        let size = 128 << 10
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            let taken = read(file.descriptor, buffer.baseAddress, size)
            failure = taken < 0 ? errno : 0
            count = max(taken, 0)
        }
        guard failure == 0 else {
            throw StoreError(.inputOutput, "The copy cannot be read: \(String(cString: strerror(failure))).")
        }
        return bytes.isEmpty ? nil : bytes
    }
}

extension TransferEndpoints {
    /// `GET /v1/backup`: a consistent copy of one version of the store, made while the store is in use. It is written
    /// to a file first, so that a slow client does not prevent the reuse of disk space; the disk needs room for it.
    package func getBackup(_ request: Request, _ path: PathParameters) throws -> Reply {
        _ = try QueryParameters(request, single: [])
        guard request.method != .head else { return .now(Self.backup(.pieces(OmittedBody()))) }
        let account = request.limitKey
        return pool.reply(for: account) { [self] in
            do {
                let file = try copyOfStore()
                // Retained while the response is sent.
                return .now(Self.backup(.pieces(FileSource(file, try pool.lease(for: account)))))
            } catch {
                return .now(context.response(to: error, of: request))
            }
        }
    }

    private static func backup(_ body: Response.Body) -> Response {
        Response(
            headers: [
                "Content-Type": "application/octet-stream",
                "Content-Disposition": "attachment; filename=\"backup.realmgate\"", "Cache-Control": "no-store",
            ],
            body: body)
    }

    /// Creates a file without a name, whose space is freed after the response was sent.
    private func copyOfStore() throws -> BodyFile {
        let path =
            "\(context.settings.now.scratchDirectory)/.realmgate-backup-\(getpid())-\(UInt64.random(in: 0 ... .max))"
        // The copy continues while others have their turns, because it cannot pause.
        let watch = TransferWatch(mayPause: false)
        try context.store.writeCopy(to: path) { _ in try watch.check() }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        unlink(path)
        guard descriptor >= 0, let status = FileStatus(descriptor: descriptor) else {
            throw StoreError(.inputOutput, "The copy cannot be opened: \(String(cString: strerror(errno))).")
        }
        return BodyFile(adopting: descriptor, count: status.size)
    }
}
