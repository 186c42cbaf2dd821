import Files
import Glibc
import RealmFileKeys
import RealmFiles
import RealmImport
import StoreContract
import Synchronization

/// A Realm file that a command reads.
struct RealmSource {
    let path: String
    let key: [UInt8]?
    let selection: RealmSelection

    /// How often a file is read that other programs write meanwhile.
    private static let attempts = 3

    /// Whether there is a file, of whatever kind.
    static func isFile(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Throws when a file is not there or may not be read.
    static func checkReadable(_ path: String) throws {
        guard access(path, R_OK) != 0 else { return }
        let reason = errno
        guard reason == ENOENT else {
            throw CommandError("Cannot read '\(path)': \(String(cString: strerror(reason))).", exitCode: 66)
        }
        throw CommandError("There is no file '\(path)'.", exitCode: 66)
    }

    /// Reads a key from a file.
    static func key(_ path: String) throws -> [UInt8] {
        let bytes: [UInt8]?
        do {
            bytes = try WholeFile.read(path, limit: 4096)
        } catch {
            throw CommandError("Cannot read the key in '\(path)': \(error.reason).", exitCode: 66)
        }
        guard let bytes else { throw CommandError("There is no key file '\(path)'.", exitCode: 66) }
        if bytes.count == RealmFile.keyLength { return bytes }
        let digits = bytes.filter { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        guard let key = RealmFile.key(hexadecimal: digits) else {
            throw CommandError(
                "The key in '\(path)' has \(bytes.count > 4096 ? "more than 4096" : "\(bytes.count)") bytes. A key has \(RealmFile.keyLength) bytes, or \(2 * RealmFile.keyLength) hexadecimal digits.",
                exitCode: 78)
        }
        return key
    }

    /// Opens the file, and hands it to the body with its classes. When another program writes the file meanwhile, it is
    /// opened again, a few times.
    func read<R>(_ body: (RealmFile, RealmClasses) throws -> R) throws -> R {
        var attempt = 1
        while true {
            do {
                let file = try RealmFile(path: path, key: key)
                return try body(file, try RealmClasses(file, selection))
            } catch RealmFileError.inUse where attempt < Self.attempts {
                attempt += 1
            } catch let fault as RealmFileError {
                throw CommandError(fault, path)
            } catch let fault as RealmImportError {
                throw CommandError(fault, path)
            }
        }
    }

    /// Imports everything, and shows how far it is.
    static func copy(
        _ file: RealmFile, _ classes: RealmClasses, into store: any Store, _ policy: UpdatePolicy = .error
    ) throws -> RealmImportReport {
        let line = Mutex(ProgressLine(of: nil))
        defer { line.withLock { $0.finish() } }
        return try RealmImporter(file, classes, into: store, policy).run { reached in
            line.withLock {
                $0.show(
                    "\(reached.className.printable()): \(grouped(reached.done)) of \(grouped(reached.total)) objects read",
                    at: reached.done)
            }
        }
    }
}

extension CommandError {
    /// The exit codes are those of sysexits.h.
    init(_ fault: RealmFileError, _ path: String) {
        let exitCode: Int32 =
            switch fault {
            case .notRealm, .unsupportedFormat, .damaged, .tooLarge: 65
            case .wrongKey: 78
            case .unreadable: 66
            case .inUse: 75
            }
        var message = "'\(path)': \(fault.message)"
        if case .notRealm(mayBeEncrypted: true) = fault { message += " Name its file with --encryption-key-file." }
        self.init(message, exitCode: exitCode)
    }

    /// The exit code is 64 for options that name nothing or contradict each other, 65 for a file with two objects of one
    /// key, and 1 for what the database cannot have.
    init(_ fault: RealmImportError, _ path: String) {
        let exitCode: Int32 =
            switch fault.reason {
            case .unknownName, .invalidSelection: 64
            case .repeatedKey: 65
            case .unsuitable, .noClasses, .differentClass, .value, .duplicate: 1
            }
        self.init("'\(path)': \(fault.message)", exitCode: exitCode)
    }
}
