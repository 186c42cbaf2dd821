import Cryptography
import Files
import Glibc

/// A certificate chain and its key from files, ready for handshakes. A connection retains the one that it began with.
final class Certificate: Sendable {
    private let credentials: TLSCredentials

    /// When it expires, in seconds since 1970.
    var expiry: Int { credentials.expiry }

    /// The contents of both files, as the library expects them at its start.
    struct PEM {
        let chain: [UInt8]
        let key: [UInt8]

        init(_ files: TLSFiles) throws(ServerError) {
            chain = try readSmallFile(files.certificateChain)
            key = try readSmallFile(files.key)
        }
    }

    /// - Throws: ``ServerError`` that names the file and the error in it.
    init(_ pem: PEM, from files: TLSFiles) throws(ServerError) {
        do throws(TLSCredentials.Error) {
            credentials = try TLSCredentials(chain: pem.chain, key: pem.key)
        } catch {
            switch error {
            case .chain(let reason): throw .badCertificate(file: files.certificateChain, reason: reason)
            case .key(let reason): throw .badKey(file: files.key, reason: reason)
            case .mismatch: throw .keyMismatch(certificateChain: files.certificateChain, key: files.key)
            case .outOfMemory(let call): throw .system(call: call, errno: ENOMEM)
            }
        }
    }

    /// Uses this certificate for a session whose handshake has not begun.
    func use(in session: OpaquePointer) { credentials.use(in: session) }
}

/// Reads a file of at most 1 MiB.
private func readSmallFile(_ path: String) throws(ServerError) -> [UInt8] {
    let bytes: [UInt8]?
    do throws(FileError) {
        bytes = try WholeFile.read(path, limit: 1 << 20)
    } catch {
        throw .unreadableFile(path, reason: errorText(error.code))
    }
    guard let bytes else { throw .unreadableFile(path, reason: errorText(ENOENT)) }
    guard bytes.count <= 1 << 20 else { throw .unreadableFile(path, reason: "It is too long") }
    return bytes
}
