import HTTPMessages
import HTTPServer
import JSONCoding
import ObjectCoding
import ObjectModel
import RequestHandling
import RequestParameters
import StoreContract
import Synchronization
import WriteRequests

/// The objects of a page, and how they are written.
struct Page: Sendable {
    let snapshot: any Snapshot
    let plan: RowPlan
    let keys: [ObjectKey]
    /// The total number of objects, if it is requested.
    var count: Int?
    /// Whether there are objects after the last one.
    let hasMore: Bool
    /// The maximum size in bytes: the object that reaches it is the last one.
    let answerBytes: Int
    /// Returns the cursor after the given number of keys.
    let cursor: @Sendable (Int) throws -> String

    /// Returns the page: a short one as a whole; for a long one the rest is written while it is sent.
    ///
    /// Throws the errors of the store, and `NeedsWorker` for a long page on a loop's thread.
    func response(to request: Request) throws -> Response {
        let source = PageSource(self)
        var response: Response
        if let whole = try source.begin() {
            response = whole
        } else {
            try request.requireWorker()
            snapshot.budget?.followClient()
            response = Response(contentType: "application/json", body: [])
            response.body = .pieces(source)
        }
        let mark = snapshot.mark
        response.headers["ETag"] = EntityTag(mark).header
        response.headers.add(mark)
        return response
    }
}

/// A page as a streamed response body, written object by object. It ends early, with a cursor, when it is long enough,
/// and before an object that cannot be written: the page that begins with that object fails.
final class PageSource: BodySource {
    private struct State {
        let json: JSONWriter
        let look: LinkResolver
        /// The number of keys that have been processed.
        var written = 0
        /// The number of bytes that have been returned.
        var given = 0
        var isOver = false
    }

    private let page: Page
    private let state: Mutex<State>

    /// The size in bytes up to which a page is written as a whole. A page with objects in place of links always is, so
    /// that it can still fail with an error response.
    private static let maximumAtOnce = 512 << 10
    private static let piece = 64 << 10
    /// The number of objects whose links are looked up together.
    private static let block = 256

    init(_ page: Page) {
        self.page = page
        let look = LinkResolver(
            page.snapshot, remembers: page.keys.count > 4, responseLimit: page.answerBytes)
        // Other threads write the rest; their memory is counted against the same request.
        state = Mutex(State(json: JSONWriter(capacity: 4096, memory: TextMemory.current), look: look))
    }

    /// Writes the beginning. Returns the response if the page is complete; nil if more follows.
    func begin() throws -> Response? {
        try state.withLock { state in
            let json = state.json
            json.beginObject()
            json.name("version")
            json.int(page.snapshot.version.rawValue)
            if let count = page.count {
                json.name("count")
                json.int(count)
            }
            json.name("items")
            json.beginArray()
            try write(&state, until: page.plan.looksFurther ? .max : Self.maximumAtOnce)
            return state.isOver ? .json(json) : nil
        }
    }

    func next() throws -> [UInt8]? {
        try state.withLock { state in
            if !state.isOver { try write(&state, until: Self.piece) }
            guard state.json.count > 0 else { return nil }
            state.given += state.json.count
            return state.json.takeBytes()
        }
    }

    var bytesAtHand: Int { state.withLock { $0.json.count } }

    private func write(_ state: inout State, until fullAt: Int) throws {
        let (json, look, keys) = (state.json, state.look, page.keys)
        while state.written < keys.count {
            let rest = page.answerBytes - state.given
            // Writes at least one object, however large.
            if state.written > 0, json.count >= rest { return try end(&state) }
            if json.count >= fullAt { return }
            let block = Array(keys[state.written...].prefix(Self.block))
            let most = max(min(fullAt, max(rest, 0)), json.count + 1)
            state.written += try page.plan.write(block, of: page.snapshot, by: look, until: most, into: json)
            guard let fault = look.fault else { continue }
            guard state.written > 0, fault is TextMemory.Exhausted || (fault as? Problem)?.isOfOneObject == true else {
                throw fault
            }
            return try end(&state)
        }
        try end(&state)
    }

    private func end(_ state: inout State) throws {
        let json = state.json
        json.endArray()
        if state.written < page.keys.count || page.hasMore {
            json.name("next")
            json.plainString(try page.cursor(state.written))
        }
        json.endObject()
        state.isOver = true
    }
}
