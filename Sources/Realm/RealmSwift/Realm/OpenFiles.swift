import Promises
import Synchronization

/// The files of the realms that are open in this process, by path.
///
/// A file is opened by one thread; others that want the same file wait for it. Different files are opened at the same
/// time, so a long migration delays only those who want its file.
///
/// A migration's block may open other files. It must not open its own, nor one whose opening waits for its own: both
/// would wait forever, so they are refused.
final class OpenFiles: Sendable {
    private struct Entry {
        weak var file: SharedRealmFile?
        /// Set while a thread opens the file.
        var opening: Promise<Void>?
        /// The path that a migration's block of this file waits for.
        var awaited: String?
    }

    /// The path of the file whose migration's block runs on this thread.
    @TaskLocal static var migrating: String?

    private let entries = Mutex<[String: Entry]>([:])

    private enum Step {
        case use(SharedRealmFile)
        case wait(Promise<Void>)
        case make(Promise<Void>)
        case refuse
    }

    /// Returns the open file, or opens it.
    ///
    /// - Parameters:
    ///   - check: called with a file that is open already.
    ///   - make: opens the file.
    func open(
        _ path: String, check: (SharedRealmFile) throws -> Void, make: () throws -> SharedRealmFile
    ) throws -> SharedRealmFile {
        while true {
            switch nextStep(path) {
            case .use(let file):
                try check(file)
                return file
            case .wait(let opening):
                opening.wait()
                proceed()
            case .make(let opening):
                let result = Result { try make() }
                entries.withLock { entries in
                    entries[path] = (try? result.get()).map { Entry(file: $0) }
                }
                proceed()
                opening.set(())
                return try result.get()
            case .refuse:
                throw Realm.Error(
                    .alreadyOpen,
                    "Realm at path '\(path)' is being migrated, and this migration block must end before it can be opened.",
                    path: path)
            }
        }
    }

    /// Returns the file if it is open. Waits while another thread opens it.
    func known(_ path: String) -> SharedRealmFile? {
        while true {
            let (file, opening) = entries.withLock { entries in
                let isOwn = Self.migrating.map { Self.leads(from: path, to: $0, entries) } ?? false
                return (entries[path]?.file, isOwn ? nil : entries[path]?.opening)
            }
            guard file == nil, let opening else { return file }
            opening.wait()
        }
    }

    /// Whether the file is open, or a migration's block of it runs on this thread.
    func isOpen(_ path: String) -> Bool { Self.migrating == path || known(path) != nil }

    private func nextStep(_ path: String) -> Step {
        entries.withLock { entries in
            if let file = entries[path]?.file { return .use(file) }
            if let migrating = Self.migrating {
                guard !Self.leads(from: path, to: migrating, entries) else { return .refuse }
                entries[migrating]?.awaited = path
            }
            if let opening = entries[path]?.opening { return .wait(opening) }
            let opening = Promise<Void>()
            entries[path] = Entry(opening: opening)
            return .make(opening)
        }
    }

    /// The block of this thread waits no longer.
    private func proceed() {
        guard let migrating = Self.migrating else { return }
        entries.withLock { $0[migrating]?.awaited = nil }
    }

    /// Whether a path is another one, or waits for it.
    private static func leads(from path: String, to other: String, _ entries: [String: Entry]) -> Bool {
        var next: String? = path
        while let one = next {
            if one == other { return true }
            next = entries[one]?.awaited
        }
        return false
    }
}
