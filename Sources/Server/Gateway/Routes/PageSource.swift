import HTTPServer
import JSONCoding
import ObjectModel
import StoreContract
import Synchronization

/// The objects of a page, and how it is written.
struct Page: Sendable {
    let snapshot: any Snapshot
    let plan: RowPlan
    let keys: [ObjectKey]
    /// The number of all objects, where it is asked for.
    var count: Int?
    /// Whether there are objects behind the last.
    let hasMore: Bool
    /// Most bytes: the object that reaches them is the last one.
    let answerBytes: Int
    /// The cursor behind the first so many of the keys.
    let cursor: @Sendable (Int) throws -> String

    /// The page: a short one as a whole, of a long one what it begins with, and the rest while it is sent.
    ///
    /// Throws what the store does, and `NeedsWorker` for a long one on a loop's thread.
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

/// A page as the body of an answer, written object by object. It ends early, with a cursor, when it is long enough, and
/// before an object that cannot be written: that one is refused where a page begins with it.
final class PageSource: BodySource {
    private struct State {
        let json = JSONWriter(capacity: 4096)
        let look: LinkResolver
        /// How many of the keys have been dealt with.
        var place = 0
        /// Bytes that were given away.
        var given = 0
        var isOver = false
    }

    private let page: Page
    private let state: Mutex<State>

    /// A page of at most so many bytes is made as a whole, and one of objects in place of links is, so that it can still be
    /// refused.
    private static let mostAtOnce = 512 << 10
    private static let piece = 64 << 10
    /// Objects whose links are looked up together.
    private static let block = 256

    init(_ page: Page) {
        self.page = page
        let look = LinkResolver(
            .snapshot(page.snapshot), remembers: page.keys.count > 4, answerLimit: page.answerBytes)
        state = Mutex(State(look: look))
    }

    /// Makes the beginning. Gives the page if that is all of it, nil if there is more to come.
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
            try write(&state, until: page.plan.looksFurther ? .max : Self.mostAtOnce)
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
        while state.place < keys.count {
            let rest = page.answerBytes - state.given
            // One object at least, however large.
            if state.place > 0, json.count >= rest { return try end(&state) }
            if json.count >= fullAt { return }
            let block = Array(keys[state.place...].prefix(Self.block))
            let most = max(min(fullAt, max(rest, 0)), json.count + 1)
            state.place += try page.plan.write(block, of: page.snapshot, by: look, until: most, into: json)
            guard let fault = look.fault else { continue }
            guard state.place > 0, let problem = fault as? Problem, problem.isOfOneObject else { throw fault }
            return try end(&state)
        }
        try end(&state)
    }

    private func end(_ state: inout State) throws {
        let json = state.json
        json.endArray()
        if state.place < page.keys.count || page.hasMore {
            json.name("next")
            json.plainString(try page.cursor(state.place))
        }
        json.endObject()
        state.isOver = true
    }
}
