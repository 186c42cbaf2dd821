import Glibc
import HTTPServer
import ObjectModel
import StoreContract

/// A file as the body of an answer.
private final class FileSource: BodySource {
    private let file: BodyFile
    /// The caller's place among those who transfer.
    private let place: Quota.Lease

    init(_ file: BodyFile, _ place: Quota.Lease) {
        self.file = file
        self.place = place
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

extension Gateway {
    /// `GET /v1/backup`: a consistent copy of the store, of one version, while it is written to. It is made as a file
    /// first, so that a slow client does not hold up the reuse of space: the disk needs room for it.
    func getBackup(_ request: Request, _ path: PathParameters) throws -> Reply {
        try requireAdministrator(request)
        _ = try QueryParameters(request, single: [])
        guard request.method != .head else { return .now(Self.backup(.pieces(UnmadeBody()))) }
        let account = Self.limitKey(request)
        return transfers.reply(for: account) { [self] in
            do {
                let file = try copyOfStore()
                // For as long as it is sent.
                return .now(Self.backup(.pieces(FileSource(file, try transfers.place(for: account)))))
            } catch {
                return .now(response(to: error, of: request))
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

    /// Without a name: its space is free again when the answer is sent.
    private func copyOfStore() throws -> BodyFile {
        let path = "\(configuration.scratchDirectory)/.realmgate-backup-\(getpid())-\(UInt64.random(in: 0 ... .max))"
        // The copy goes on while others have their turn: it holds no permit of theirs, and cannot rest.
        let watch = TransferWatch(mayRest: false)
        try store.writeCopy(to: path) { _ in try watch.check() }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        unlink(path)
        guard descriptor >= 0, let status = FileStatus(descriptor: descriptor) else {
            throw StoreError(.inputOutput, "The copy cannot be opened: \(String(cString: strerror(errno))).")
        }
        return BodyFile(adopting: descriptor, count: status.size)
    }
}
