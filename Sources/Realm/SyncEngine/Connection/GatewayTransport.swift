import Foundation
import JSONCoding
import ObjectModel
import Synchronization
import WireProtocol

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A response of the gateway.
struct GatewayResponse: Sendable {
    var status: Int
    var json: JSONValue
    /// The value of `Retry-After` in seconds.
    var retryAfter: Double?
    /// The state that the response shows; nil if it does not say.
    var mark: Mark?
    /// `retryAfter`, limited to 600 seconds, plus up to 10 % so that clients do not all retry at once.
    var pause: Double? { retryAfter.map { min(max($0, 0), 600) * Double.random(in: 1...1.1) } }

    /// The members of an error response.
    var problem: ProblemForm { ProblemForm(json) }
    var code: String? { problem.code }
    var detail: String { problem.detail ?? "The gateway answered with status \(status)." }
}

/// Sends requests to a gateway, and reads its event streams.
final class GatewayTransport: Sendable {
    private let settings: FollowerSettings
    private let session: URLSession
    private let streams: URLSession
    private let delegate = StreamDelegate()
    /// For the responses of the two sessions. An operation queue does not retain its own.
    private let queues = (
        DispatchQueue(label: "realmgate.sync.responses"), DispatchQueue(label: "realmgate.sync.streams")
    )
    private let isOpen = Mutex(true)

    init(_ settings: FollowerSettings) {
        self.settings = settings
        let asking = Self.configuration()
        asking.timeoutIntervalForRequest = 60
        asking.httpMaximumConnectionsPerHost = 8
        session = URLSession(configuration: asking, delegate: nil, delegateQueue: Self.queue(on: queues.0))
        let streaming = Self.configuration()
        // The maximum time between two chunks of data.
        streaming.timeoutIntervalForRequest = settings.idleTimeout
        streaming.httpMaximumConnectionsPerHost = 1
        streaming.timeoutIntervalForResource = 365 * 24 * 3600
        streams = URLSession(configuration: streaming, delegate: delegate, delegateQueue: Self.queue(on: queues.1))
    }

    /// A queue for the responses, which waits for no other work of the application: see `SyncExecutor`.
    private static func queue(on responses: DispatchQueue) -> OperationQueue {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        queue.underlyingQueue = responses
        return queue
    }

    private static func configuration() -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        // With a cache, a request waits for the cache's answer before it starts. On Linux, the process traps when the
        // request is cancelled meanwhile, and then fails before its cancellation is carried out.
        configuration.urlCache = nil
        return configuration
    }

    /// Cancels all requests. A session retains its delegate until then.
    func close() {
        isOpen.withLock { isOpen in
            isOpen = false
            session.invalidateAndCancel()
            streams.invalidateAndCancel()
        }
    }

    /// Creates a task, unless the session was closed: an invalidated session traps on such a call.
    private func whileOpen(_ make: () -> URLSessionDataTask) throws -> URLSessionDataTask {
        try isOpen.withLock { isOpen in
            guard isOpen else { throw CancellationError() }
            return make()
        }
    }

    /// Throws the errors of `URLSession` and of the token provider, and `CancellationError` for a cancelled request.
    func send(
        _ method: String, _ path: String, body: [UInt8]? = nil, headers: [String: String] = [:],
        timeout: TimeInterval? = nil
    ) async throws -> GatewayResponse {
        var request = try await request(method, path, headers)
        if let timeout { request.timeoutInterval = timeout }
        if let body {
            request.httpBody = Data(body)
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        return try await answer(request, session)
    }

    private func answer(_ request: URLRequest, _ session: URLSession) async throws -> GatewayResponse {
        let task = Mutex<URLSessionDataTask?>(nil)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let answered: @Sendable (Data?, URLResponse?, (any Error)?) -> Void = { data, response, error in
                    guard let response = response as? HTTPURLResponse else {
                        return continuation.resume(throwing: error.map(ended) ?? URLError(.badServerResponse))
                    }
                    if let error { return continuation.resume(throwing: ended(error)) }
                    continuation.resume(returning: GatewayResponse(response, data ?? Data()))
                }
                do {
                    let sent = try whileOpen { session.dataTask(with: request, completionHandler: answered) }
                    task.withLock { $0 = sent }
                    sent.resume()
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        } onCancel: {
            task.withLock { $0?.cancel() }
        }
    }

    /// Returns the events of a stream, until it ends or the consumer stops. Throws `GatewayFailure` for other
    /// responses.
    func events(
        _ path: String, after position: String?, headers further: [String: String] = [:]
    ) async throws -> AsyncThrowingStream<ServerEvent, any Error> {
        var headers = further
        headers["Accept"] = "text/event-stream"
        headers["Cache-Control"] = "no-cache"
        if let position { headers[HeaderName.lastEventID] = position }
        // On Linux, a session whose first request is a stream polls whether the connection is writable, which takes a
        // whole processor, until the session is used for another request. So another request comes first.
        _ = try await answer(try await self.request("GET", Endpoint.health.path(), [:]), streams)
        let request = try await request("GET", path, headers)
        let task = try whileOpen { streams.dataTask(with: request) }
        let (events, continuation) = AsyncThrowingStream.makeStream(of: ServerEvent.self)
        delegate.add(task.taskIdentifier, continuation)
        continuation.onTermination = { _ in task.cancel() }
        task.resume()
        return events
    }

    private func request(_ method: String, _ path: String, _ headers: [String: String]) async throws -> URLRequest {
        var base = settings.gateway.absoluteString
        while base.hasSuffix("/") { base.removeLast() }
        guard let url = URL(string: base + path) else { throw URLError(.badURL) }
        var request = URLRequest(url: url)
        request.httpMethod = method
        for (name, value) in settings.headers.merging(headers, uniquingKeysWith: { $1 }) {
            request.setValue(value, forHTTPHeaderField: name)
        }
        let token = try await settings.tokenProvider?() ?? settings.token
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        return request
    }
}

/// Converts the cancellation of a request to `CancellationError`.
private func ended(_ error: any Error) -> any Error {
    (error as? URLError)?.code == .cancelled ? CancellationError() : error
}

/// A response that reports a failure.
struct GatewayFailure: Error {
    var answer: GatewayResponse
}

extension GatewayResponse {
    fileprivate init(_ response: HTTPURLResponse, _ body: Data) {
        status = response.statusCode
        json = (try? JSONValue.parse(Array(body))) ?? .null
        mark = response.value(forHTTPHeaderField: HeaderName.mark).flatMap { Mark($0) }
        retryAfter = response.value(forHTTPHeaderField: HeaderName.retryAfter).flatMap { text in
            if let seconds = Double(text) { return seconds }
            // The time depends on the clock of the server that sent it.
            guard let time = HTTPTime.read(text),
                let now = response.value(forHTTPHeaderField: "Date").flatMap(HTTPTime.read)
            else { return nil }
            return time.timeIntervalSince(now)
        }
    }
}

/// Dates in HTTP headers.
private enum HTTPTime {
    static func read(_ text: String) -> Date? {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
        return format.date(from: text)
    }
}

/// Parses the bytes of streams and passes on the events. The session's queue calls it serially.
private final class StreamDelegate: NSObject, URLSessionDataDelegate, Sendable {
    private struct Stream: Sendable {
        let continuation: AsyncThrowingStream<ServerEvent, any Error>.Continuation
        var parser = EventStreamParser()
        /// The response, if it is not a stream.
        var refusal: (response: HTTPURLResponse, body: Data)?
        var hasBegun = false
    }

    private let open = Mutex<[Int: Stream]>([:])

    func add(_ id: Int, _ continuation: AsyncThrowingStream<ServerEvent, any Error>.Continuation) {
        open.withLock { $0[id] = Stream(continuation: continuation) }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        open.withLock { open in
            guard var stream = open.removeValue(forKey: dataTask.taskIdentifier) else { return }
            defer { open[dataTask.taskIdentifier] = stream }
            if !stream.hasBegun, stream.refusal == nil {
                let response = dataTask.response as? HTTPURLResponse
                if let response, response.statusCode != 200 {
                    stream.refusal = (response, Data())
                } else {
                    stream.hasBegun = true
                }
            }
            if stream.refusal != nil {
                stream.refusal?.body.append(data)
                return
            }
            for event in data.withUnsafeBytes({ stream.parser.feed($0) }) { stream.continuation.yield(event) }
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let stream = open.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        if let refusal = stream.refusal {
            stream.continuation.finish(
                throwing: GatewayFailure(answer: GatewayResponse(refusal.response, refusal.body)))
        } else {
            stream.continuation.finish(throwing: error.map(ended))
        }
    }
}
