package import ObjectModel
package import StoreContract

/// A line of a worker process on standard output. It is written when it is true: a commit is acknowledged after its
/// completion was called with success.
package enum WorkerLine: Hashable, Sendable {
    /// The store is open at this version.
    case opened(Version)
    case acknowledged(Version, DurableHistory.CommitID)
    /// The commit was meant to be rolled back, and was.
    case rolledBack(DurableHistory.CommitID)
    case failed(DurableHistory.CommitID, StoreError.Code, message: String)
    /// The result of a snapshot after a commit had failed.
    case read(Version)
    case unreadable(StoreError.Code, message: String)
    case compacted
    /// A copy of the file has its name.
    case copied
    /// The file could not be compacted or copied.
    case declined(StoreError.Code, message: String)
    /// The file could not be opened.
    case refused(StoreError.Code, message: String)
    /// An error that is not a store error: never correct.
    case unexpected(String)
    /// The worker has finished.
    case done
}

extension WorkerLine {
    /// The outcome of a commit.
    package init(_ id: DurableHistory.CommitID, _ result: Result<Version, any Error>) {
        switch result {
        case .success(let version): self = .acknowledged(version, id)
        case .failure(is DurableHistory.RolledBack): self = .rolledBack(id)
        case .failure(let error as StoreError): self = .failed(id, error.code, message: error.message)
        case .failure(let error): self = .unexpected("\(error)")
        }
    }
}

extension WorkerLine: LosslessStringConvertible {
    package var description: String {
        switch self {
        case .opened(let version): "opened \(version)"
        case .acknowledged(let version, let id): "acknowledged \(id) \(version)"
        case .rolledBack(let id): "rolledBack \(id)"
        case .failed(let id, let code, let message): "failed \(id) \(code.rawValue) \(Self.oneLine(message))"
        case .read(let version): "read \(version)"
        case .unreadable(let code, let message): "unreadable \(code.rawValue) \(Self.oneLine(message))"
        case .compacted: "compacted"
        case .copied: "copied"
        case .declined(let code, let message): "declined \(code.rawValue) \(Self.oneLine(message))"
        case .refused(let code, let message): "refused \(code.rawValue) \(Self.oneLine(message))"
        case .unexpected(let text): "unexpected \(Self.oneLine(text))"
        case .done: "done"
        }
    }

    package init?(_ line: String) {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        func id() -> DurableHistory.CommitID? {
            guard words.count > 3, let round = Int(words[1]), let thread = Int(words[2]), let number = Int(words[3])
            else { return nil }
            return DurableHistory.CommitID(round: round, thread: thread, number: number)
        }
        func version(_ index: Int) -> Version? {
            words.count > index ? UInt64(words[index]).map { Version($0) } : nil
        }
        func fault(_ index: Int) -> (StoreError.Code, String)? {
            guard words.count > index else { return nil }
            return (
                StoreError.Code(rawValue: String(words[index])), words[(index + 1)...].joined(separator: " ")
            )
        }
        switch words.first {
        case "opened":
            guard let version = version(1) else { return nil }
            self = .opened(version)
        case "acknowledged":
            guard let id = id(), let version = version(4) else { return nil }
            self = .acknowledged(version, id)
        case "rolledBack":
            guard let id = id() else { return nil }
            self = .rolledBack(id)
        case "failed":
            guard let id = id(), let (code, message) = fault(4) else { return nil }
            self = .failed(id, code, message: message)
        case "read":
            guard let version = version(1) else { return nil }
            self = .read(version)
        case "unreadable":
            guard let (code, message) = fault(1) else { return nil }
            self = .unreadable(code, message: message)
        case "compacted": self = .compacted
        case "copied": self = .copied
        case "declined":
            guard let (code, message) = fault(1) else { return nil }
            self = .declined(code, message: message)
        case "refused":
            guard let (code, message) = fault(1) else { return nil }
            self = .refused(code, message: message)
        case "unexpected": self = .unexpected(words.dropFirst().joined(separator: " "))
        case "done": self = .done
        default: return nil
        }
    }

    /// The lines of an output. A last line that was cut off by the end of the process is ignored.
    package static func all(in output: String) throws -> [WorkerLine] {
        let whole = output.last == "\n" ? output[...] : output[..<(output.lastIndex(of: "\n") ?? output.startIndex)]
        return try whole.split(separator: "\n").map { line in
            guard let parsed = WorkerLine(String(line)) else {
                throw ConformanceFailure("the worker said '\(line)'")
            }
            return parsed
        }
    }

    private static func oneLine(_ text: String) -> String {
        String(text.map { $0.isNewline ? " " : $0 })
    }
}
