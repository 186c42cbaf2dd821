import Dispatch
import HTTPMessages
import HTTPServer
import JSONCoding
import LiveStreams
import Logging
import ObjectModel
import ServerLog
import Synchronization
import WireProtocol

/// The event streams of log lines. Lines are sent in batches, ten times a second at most, so that a burst of lines costs
/// the threads that write them nothing.
final class LogStreams: Sendable {
    /// One stream, with the number of the last line that it has.
    private struct Follower {
        let stream: EventStream
        let filter: LogFilter
        var last: Int
        /// Whether its client has to read before more is sent.
        var isFull = false
    }

    private struct State {
        var followers: [ObjectIdentifier: Follower] = [:]
        var isDue = false
    }

    private let log: RecentLog
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "realmgate.log")
    private static let pause = DispatchTimeInterval.milliseconds(100)
    /// Lines that are encoded at a time.
    private static let batch = 200

    init(_ log: RecentLog) {
        self.log = log
        log.watch { [weak self] in self?.wake() }
    }

    /// Sends the lines after a number, and those that follow.
    func add(_ stream: EventStream, _ filter: LogFilter, after number: Int) {
        let id = ObjectIdentifier(stream)
        // The head of the response is sent with the first bytes: without any, a client would not know for seconds whether
        // the stream is open.
        stream.send(.retry, isEvent: false)
        state.withLock { $0.followers[id] = Follower(stream: stream, filter: filter, last: number) }
        stream.onDrain { [weak self] in
            self?.state.withLock { $0.followers[id]?.isFull = false }
            self?.wake()
        }
        stream.onClose { [weak self] _ in self?.state.withLock { $0.followers[id] = nil } }
        wake()
    }

    private func wake() {
        let isFirst = state.withLock { state in
            guard !state.followers.isEmpty, !state.isDue else { return false }
            state.isDue = true
            return true
        }
        guard isFirst else { return }
        queue.asyncAfter(deadline: .now() + Self.pause) { [weak self] in self?.send() }
    }

    private func send() {
        let ids = state.withLock { state in
            state.isDue = false
            return state.followers.filter { !$0.value.isFull }.map(\.key)
        }
        for id in ids { advance(id) }
    }

    /// Sends what one stream does not have yet. Only the queue calls it, so that lines are in order.
    private func advance(_ id: ObjectIdentifier) {
        while var follower = state.withLock({ $0.followers[id] }) {
            let part = log.lines(after: follower.last, atMost: Self.batch)
            guard part.lost > 0 || !part.lines.isEmpty else { return }
            if part.lost > 0 {
                guard follower.stream.send(Self.lost(part.lost)) == .queued else {
                    return keep(follower, id, isFull: true)
                }
                follower.last += part.lost
            }
            for (number, line) in part.lines {
                if follower.filter.takes(line) {
                    let event = SharedBytes.event(
                        id: log.id(of: number), name: EventKind.line.rawValue,
                        data: JSONWriter.line(line, id: log.id(of: number)).bytes)
                    guard follower.stream.send(event) == .queued else { return keep(follower, id, isFull: true) }
                }
                follower.last = number
            }
            keep(follower, id, isFull: false)
        }
    }

    private func keep(_ follower: Follower, _ id: ObjectIdentifier, isFull: Bool) {
        state.withLock { state in
            guard state.followers[id] != nil else { return }
            state.followers[id]?.last = follower.last
            state.followers[id]?.isFull = isFull
        }
        // It may have drained before it was marked.
        if isFull, follower.stream.findsRoom(), !follower.stream.isClosed {
            state.withLock { $0.followers[id]?.isFull = false }
            wake()
        }
    }

    /// Tells how many lines were overwritten before they could be sent.
    private static func lost(_ count: Int) -> SharedBytes {
        let json = JSONWriter(capacity: 32)
        json.beginObject()
        json.name(EventField.count)
        json.int(count)
        json.endObject()
        return .event(name: EventKind.lost.rawValue, data: json.bytes)
    }
}

extension JSONWriter {
    /// A line of the log.
    static func line(_ line: LogLine, id: String) -> JSONWriter {
        let json = JSONWriter(capacity: 384)
        json.line(line, id: id)
        return json
    }

    func line(_ line: LogLine, id: String) {
        beginObject()
        for (member, text) in [
            ("id", id), ("time", line.time.rfc3339), ("level", line.level.rawValue), ("label", line.label),
            ("message", line.message),
        ] {
            name(member)
            string(text)
        }
        name("fields")
        beginObject()
        for field in line.fields {
            name(field.name)
            string(field.value)
        }
        endObject()
        endObject()
    }
}
