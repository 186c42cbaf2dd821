import ObjectModel
import StoreContract
import Synchronization

/// A log whose calls are counted. Cost of a call: two readings of the clock and a lock.
final class MeasuredLog: CommitLog {
    private struct State {
        var numbers = LogStatistics()
        var contact = ContinuousClock.now
    }

    /// The log itself.
    let log: any CommitLog
    private let state = Mutex(State())

    init(_ log: any CommitLog) { self.log = log }

    var numbers: LogStatistics {
        state.withLock { state in
            var numbers = state.numbers
            numbers.contactSeconds = (ContinuousClock.now - state.contact) / .seconds(1)
            return numbers
        }
    }

    /// Records that the log responded.
    private func update(_ newest: Version?, _ change: (inout LogStatistics) -> Void = { _ in }) {
        state.withLock { state in
            state.contact = .now
            if let newest { state.numbers.newest = max(state.numbers.newest ?? newest, newest) }
            change(&state.numbers)
        }
    }

    /// Counts an append, of which the first version is `position.version.next`.
    fileprivate func measure(
        _ count: Int, after position: LogPosition, _ append: () throws -> AppendOutcome
    ) throws -> AppendOutcome {
        let start = ContinuousClock.now
        do {
            let outcome = try append()
            let isAppended = outcome == .appended
            update(isAppended ? Version(position.version.rawValue + UInt64(count)) : nil) { numbers in
                numbers.appends[isAppended ? .appended : .superseded, default: 0] += 1
                if isAppended { numbers.appendDurations.add((ContinuousClock.now - start) / .seconds(1)) }
            }
            return outcome
        } catch {
            let outcome: LogStatistics.Outcome =
                switch (error as? StoreError)?.code {
                case StoreError.Code.logOutcomeUnknown: .unknown
                case StoreError.Code.logUnavailable: .unavailable
                default: .refused
                }
            state.withLock { $0.numbers.appends[outcome, default: 0] += 1 }
            throw error
        }
    }

    var id: Int64 { log.id }

    func newest() throws -> LogPosition {
        let position = try log.newest()
        update(position.version)
        return position
    }

    func append(_ bodies: [[UInt8]], after position: LogPosition, tag: HistoryTag) throws -> AppendOutcome {
        try measure(bodies.count, after: position) { try log.append(bodies, after: position, tag: tag) }
    }

    func takeTurn(after version: Version?) throws -> any LogTurn {
        let turn = try log.takeTurn(after: version)
        update(turn.position.version) { numbers in
            numbers.turns += 1
            numbers.entries += turn.newEntries.count
        }
        return MeasuredTurn(turn, self)
    }

    func entries(after version: Version) throws -> [LogEntry] {
        let entries = try log.entries(after: version)
        update(entries.last?.version) { $0.entries += entries.count }
        return entries
    }

    func onHint(_ listener: @escaping @Sendable () -> Void) {
        log.onHint { [self] in
            state.withLock { $0.numbers.hints += 1 }
            listener()
        }
    }

    func close() { log.close() }
}

/// A turn whose append is counted.
private final class MeasuredTurn: LogTurn {
    private let turn: any LogTurn
    private let log: MeasuredLog

    init(_ turn: any LogTurn, _ log: MeasuredLog) {
        self.turn = turn
        self.log = log
    }

    var position: LogPosition { turn.position }
    var newEntries: [LogEntry] { turn.newEntries }

    func append(_ bodies: [[UInt8]], tag: HistoryTag) throws -> AppendOutcome {
        try log.measure(bodies.count, after: position) { try turn.append(bodies, tag: tag) }
    }

    func end() { turn.end() }
}

/// Calls about images are rare, and are not counted.
extension MeasuredLog {
    func images() throws -> [LogImage] { try log.images() }

    func uploadImage(
        at position: LogPosition, fileFormat: Int32, _ read: (_ most: Int) throws -> [UInt8]
    ) throws -> LogImage {
        try log.uploadImage(at: position, fileFormat: fileFormat, read)
    }

    func downloadImage(_ image: LogImage, _ write: ([UInt8]) throws -> Void) throws {
        try log.downloadImage(image, write)
    }

    func deleteImages(keeping count: Int) throws { try log.deleteImages(keeping: count) }

    func claimImage(by store: [UInt8]) throws -> Bool { try log.claimImage(by: store) }

    func releaseImage(by store: [UInt8]) throws { try log.releaseImage(by: store) }

    func entryBytes(after version: Version) throws -> Int64 { try log.entryBytes(after: version) }

    func floor() throws -> Version { try log.floor() }

    func trim(keepingSeconds seconds: Int64) throws -> Int64 { try log.trim(keepingSeconds: seconds) }
}

/// Calls about records are few, and are not counted.
extension MeasuredLog {
    func record(_ name: String) throws -> LogRecord? { try log.record(name) }

    func recordRevisions(prefix: String) throws -> [String: Int64] { try log.recordRevisions(prefix: prefix) }

    func recordRevisions(of names: [String]) throws -> [String: Int64] { try log.recordRevisions(of: names) }

    func store(_ body: [UInt8], as name: String, over revision: Int64?) throws -> Bool {
        try log.store(body, as: name, over: revision)
    }

    func deleteRecord(_ name: String, at revision: Int64) throws -> Bool {
        try log.deleteRecord(name, at: revision)
    }

    func onRecordHint(_ listener: @escaping @Sendable () -> Void) { log.onRecordHint(listener) }
}
