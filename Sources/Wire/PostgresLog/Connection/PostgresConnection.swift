import CLibpq
import Glibc

/// A connection to PostgreSQL by libpq: this file and its extensions hold all pointers to it.
///
/// It is always in pipeline mode. `run` sends some statements and one Sync: outside an explicit transaction they are one
/// transaction, which is committed or undone before `run` returns. Deadlines are kept here, by polling the socket. After
/// a failure other than `refused` the connection is broken: throw it away.
///
/// @unchecked Sendable: libpq's connections may be used by any thread, one at a time. `ConnectionPool` gives one to one
/// caller at a time; the hint channel keeps its own to its thread; a turn guards its own with a lock.
final class PostgresConnection: @unchecked Sendable {
    let address: PostgresAddress
    let connection: OpaquePointer
    private let notices: NoticeCollector
    let interruption: Interruption
    /// Released after libpq's connection is freed.
    private let use: UseCount.Use
    private(set) var isBroken = false

    /// Connects before the deadline. Host names are resolved by the system, which the deadline does not cut short.
    ///
    /// - Parameter firstHost: the index of the host to begin with.
    init(
        _ address: PostgresAddress, firstHost: Int = 0, by deadline: Deadline, interruption: Interruption,
        use: UseCount.Use
    ) throws(PostgresError) {
        self.address = address
        self.use = use
        self.interruption = interruption
        let options = address.connectionOptions(from: firstHost)
        guard let connection = Self.start(options) else { throw .unreachable("out of memory") }
        self.connection = connection
        notices = NoticeCollector(connection)
        // With the code of an error, by which a wrong password and a server that starts are distinguished.
        PQsetErrorVerbosity(connection, PQERRORS_VERBOSE)
        try establish(by: deadline)
        PQsetErrorVerbosity(connection, PQERRORS_DEFAULT)
        guard PQsetnonblocking(connection, 1) == 0, PQenterPipelineMode(connection) == 1 else {
            throw .unreachable("libpq refuses the pipeline mode.")
        }
    }

    deinit { PQfinish(connection) }

    private static func start(_ options: [(keyword: String, value: String)]) -> OpaquePointer? {
        var keywords: [UnsafeMutablePointer<CChar>?] = options.map { strdup($0.keyword) } + [nil]
        var values: [UnsafeMutablePointer<CChar>?] = options.map { strdup($0.value) } + [nil]
        defer {
            // Passwords do not stay in memory that is free again.
            for case let pointer? in values { explicit_bzero(pointer, strlen(pointer)) }
            for pointer in keywords + values { free(pointer) }
        }
        return keywords.withUnsafeMutableBufferPointer { keywords in
            values.withUnsafeMutableBufferPointer { values in
                keywords.withMemoryRebound(to: UnsafePointer<CChar>?.self) { keywords in
                    values.withMemoryRebound(to: UnsafePointer<CChar>?.self) { values in
                        PQconnectStartParams(keywords.baseAddress, values.baseAddress, 0)
                    }
                }
            }
        }
    }

    private func establish(by deadline: Deadline) throws(PostgresError) {
        guard PQstatus(connection) != CONNECTION_BAD else { throw connectFailure() }
        // As documented: wait for writing before the first call.
        var events = Int16(POLLOUT)
        while true {
            do throws(PostgresError) {
                try wait(for: events, by: deadline)
            } catch .lost(let reason) {
                throw .unreachable(reason)
            }
            switch PQconnectPoll(connection) {
            case PGRES_POLLING_READING: events = Int16(POLLIN)
            case PGRES_POLLING_WRITING: events = Int16(POLLOUT)
            case PGRES_POLLING_OK: return
            default: throw connectFailure()
            }
        }
    }

    private func connectFailure() -> PostgresError {
        let text = message
        if PQconnectionNeedsPassword(connection) == 1 { return .rejected(.wrongPassword, text) }
        guard let state = Self.state(in: text), !state.isTemporary else { return .unreachable(text) }
        return .rejected(state, text)
    }

    /// The code in a message of libpq in its verbose form, such as "FATAL:  28P01: password …": five characters between
    /// spaces and a colon, with a digit among them.
    static func state(in message: String) -> SQLState? {
        let bytes = Array(message.utf8)
        func isCode(_ byte: UInt8) -> Bool {
            UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
        }
        guard bytes.count > 7 else { return nil }
        for start in 0...(bytes.count - 8) {
            guard bytes[start] == UInt8(ascii: ":"), bytes[start + 1] == UInt8(ascii: " ") else { continue }
            var first = start + 2
            while first < bytes.count, bytes[first] == UInt8(ascii: " ") { first += 1 }
            guard first + 5 < bytes.count, bytes[first + 5] == UInt8(ascii: ":") else { continue }
            let code = bytes[first..<first + 5]
            if code.allSatisfy(isCode), code.contains(where: { $0 <= UInt8(ascii: "9") }) {
                return SQLState(String(decoding: code, as: UTF8.self))
            }
        }
        return nil
    }

    /// Has the connection thrown away by who returns it, and so its transaction undone.
    func abandon() { isBroken = true }

    /// libpq's message about the last failure, in one line and without passwords.
    var message: String {
        let text = String(cString: PQerrorMessage(connection))
        let lines = address.redacted(text).split(separator: "\n").map { $0.trimmed }
        // Of the verbose form: where in PostgreSQL's sources.
        return lines.filter { !$0.hasPrefix("LOCATION:") }.joined(separator: " ")
    }

    /// The number of the server's process, as it said when the connection began.
    var serverProcess: Int32 { PQbackendPID(connection) }

    /// Whether the server has closed or dropped the connection while it was not used. Cost: a system call.
    func hasEnded() -> Bool {
        if isBroken { return true }
        let socket = PQsocket(connection)
        // Nothing is to be read from a connection that waits for a statement, except its end and notices.
        guard socket >= 0, isReadable(socket, within: 0) else { return socket < 0 }
        guard PQconsumeInput(connection) == 1, PQstatus(connection) == CONNECTION_OK else { return true }
        return isReadable(PQsocket(connection), within: 0)
    }

    /// Sends statements in one round trip and returns their answers. Throws `refused` when one was refused: then the
    /// server undid all of them.
    func run(_ calls: [StatementCall], by deadline: Deadline) throws(PostgresError) -> PostgresReply {
        guard !isBroken else { throw .unreachable("The connection is broken.") }
        do throws(PostgresError) {
            notices.clear()
            for call in calls { try send(call) }
            guard PQpipelineSync(connection) == 1 else { throw PostgresError.lost(message) }
            try flush(by: deadline)
            return try receive(calls.count, by: deadline)
        } catch .refused(let state, let text) {
            // Whether a server that ends the connection had committed is not known.
            if state.isOfConnection {
                isBroken = true
                throw .lost(text)
            }
            throw .refused(state, text)
        } catch {
            isBroken = true
            throw error
        }
    }

    private func send(_ call: StatementCall) throws(PostgresError) {
        // All parameters in one buffer: one allocation for all of them.
        var buffer: [UInt8] = []
        var ranges: [Range<Int>] = []
        for parameter in call.parameters {
            let start = buffer.count
            parameter.encode(to: &buffer)
            ranges.append(start..<buffer.count)
        }
        // An empty value needs an address, too: nil would be null.
        buffer.append(0)
        let types = call.parameters.map(\.type)
        let lengths = ranges.map { Int32(clamping: $0.count) }
        let formats = [Int32](repeating: 1, count: ranges.count)
        let status = buffer.withUnsafeBufferPointer { bytes in
            let values = ranges.map { range -> UnsafePointer<CChar>? in
                bytes.baseAddress.map { UnsafeRawPointer($0 + range.lowerBound).assumingMemoryBound(to: CChar.self) }
            }
            return PQsendQueryParams(
                connection, call.statement.text, Int32(values.count), types, values, lengths, formats, 1)
        }
        guard status == 1 else { throw .lost(message) }
    }

    /// Sends what libpq holds, and reads meanwhile, so that neither side waits for the other.
    private func flush(by deadline: Deadline) throws(PostgresError) {
        while true {
            let rest = PQflush(connection)
            guard rest >= 0 else { throw .lost(message) }
            guard rest > 0 else { return }
            let ready = try wait(for: Int16(POLLIN | POLLOUT), by: deadline)
            if ready & Int16(POLLIN) != 0 { try consume() }
        }
    }

    private func receive(_ count: Int, by deadline: Deadline) throws(PostgresError) -> PostgresReply {
        var rows: [PostgresRows] = []
        var refusal: PostgresError?
        var answered = 0
        while true {
            guard let result = try nextResult(by: deadline) else {
                // The end of one statement's answer; a dead connection has only such ends.
                guard PQstatus(connection) == CONNECTION_OK else { throw .lost(message) }
                answered += 1
                guard answered <= count else { throw .unreadable("The server sent more answers than statements.") }
                continue
            }
            let status = PQresultStatus(result)
            switch status {
            case PGRES_TUPLES_OK, PGRES_COMMAND_OK:
                rows.append(PostgresRows(taking: result))
                continue
            case PGRES_PIPELINE_SYNC:
                PQclear(result)
                if let refusal { throw refusal }
                guard rows.count == count else { throw .unreadable("The server sent fewer answers than statements.") }
                return PostgresReply(rows: rows, warnings: notices.warnings)
            case PGRES_FATAL_ERROR:
                if refusal == nil { refusal = failure(of: result) }
            default: break
            }
            PQclear(result)
            if PQstatus(connection) != CONNECTION_OK {
                if case .refused(_, let text)? = refusal { throw .lost(text) }
                throw refusal ?? .lost(message)
            }
        }
    }

    private func nextResult(by deadline: Deadline) throws(PostgresError) -> OpaquePointer? {
        while PQisBusy(connection) == 1 {
            try wait(for: Int16(POLLIN), by: deadline)
            try consume()
        }
        return PQgetResult(connection)
    }

    private func failure(of result: OpaquePointer) -> PostgresError {
        guard let code = PQresultErrorField(result, Int32(RG_DIAG_SQLSTATE)) else { return .lost(message) }
        let text = PQresultErrorField(result, Int32(RG_DIAG_MESSAGE)).map { String(cString: $0) } ?? ""
        return .refused(SQLState(String(cString: code)), address.redacted(text))
    }

    func consume() throws(PostgresError) {
        guard PQconsumeInput(connection) == 1 else { throw .lost(message) }
    }

    /// Waits until the server sends something by itself, `other` is readable, or the time is up; nil for no limit.
    func waitForHints(orReadable other: Int32, within limit: Duration?) throws(PostgresError) {
        var entries = [PQsocket(connection), other, interruption.descriptor].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        let count = poll(&entries, 3, limit.map { Int32(clamping: $0.milliseconds + 1) } ?? -1)
        guard count >= 0 || errno == EINTR else { throw .lost("poll: \(errorText(errno))") }
        if entries[2].revents != 0 { throw .closed }
        if entries[0].revents != 0 {
            try consume()
            guard PQstatus(connection) == CONNECTION_OK else { throw .lost(message) }
        }
    }

    /// The payloads of the notifications that arrived since the last call, without those of this connection.
    func takeNotifications() -> [String] {
        var payloads: [String] = []
        while let notification = PQnotifies(connection) {
            if notification.pointee.be_pid != serverProcess, let payload = notification.pointee.extra {
                payloads.append(String(cString: payload))
            }
            PQfreemem(notification)
        }
        return payloads
    }

    /// Waits for the socket; returns its events. Throws `lost` when the deadline comes first, `closed` when the log is
    /// closed.
    @discardableResult
    private func wait(for events: Int16, by deadline: Deadline) throws(PostgresError) -> Int16 {
        while true {
            var entries = [
                pollfd(fd: PQsocket(connection), events: events, revents: 0),
                pollfd(fd: interruption.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            let count = poll(&entries, 2, deadline.milliseconds)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .lost("poll: \(errorText(errno))") }
            if entries[1].revents != 0 { throw .closed }
            if entries[0].revents != 0 { return entries[0].revents }
            if deadline.isOver { throw .lost("The server did not answer in time.") }
        }
    }
}

extension Substring {
    fileprivate var trimmed: Substring { drop { $0 == " " || $0 == "\t" } }
}
