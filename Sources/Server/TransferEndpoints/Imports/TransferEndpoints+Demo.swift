import FairScheduling
import HTTPMessages
package import HTTPServer
import JSONCoding
import ObjectCoding
import ObjectModel
import RequestHandling
import RequestParameters
import StoreContract
import Synchronization
import Transfer

/// How far the demo is loaded, for all who ask.
final class DemoState: Sendable {
    enum State: Sendable {
        case idle
        case loading(DemoLoader.Progress)
        case loaded(DemoLoader.Progress)
        /// With a sentence for people.
        case failed(String)

        var name: String {
            switch self {
            case .idle: "absent"
            case .loading: "loading"
            case .loaded: "loaded"
            case .failed: "failed"
            }
        }
    }

    private let state = Mutex(State.idle)

    var now: State { state.withLock { $0 } }

    /// Returns false if it is being loaded already.
    func begin() -> Bool {
        state.withLock { state in
            if case .loading = state { return false }
            state = .loading(DemoLoader.Progress())
            return true
        }
    }

    func set(_ new: State) { state.withLock { $0 = new } }
}

extension TransferEndpoints {
    /// Thrown when the server stops while it loads the demo.
    private struct Stopped: Error {}

    /// `GET /v1/demo`: whether the demo can be loaded, and how far it is.
    package func getDemo(_ request: Request, _ path: PathParameters) throws -> Reply {
        _ = try QueryParameters(request, single: [])
        return .now(try demoResponse(200))
    }

    /// `POST /v1/demo`: begins to load the demo into a database without classes, and answers at once. Loading goes on
    /// when the client leaves, and takes turns with imports. While it goes on, a repetition only reports it.
    package func loadDemo(_ request: Request, _ path: PathParameters) throws -> Reply {
        _ = try QueryParameters(request, single: [])
        guard let directory = demoDirectory else {
            throw Problem(
                .demoUnavailable, "This server has no files of the demo. Start it with --demo-data and their directory."
            )
        }
        if case .loading = demo.now { return .now(try demoResponse(202)) }
        guard try context.store.snapshot().schema.classes.isEmpty else {
            throw Problem(
                .demoNotEmpty,
                "The database has classes, so the demo is not loaded into it. Use an empty database, or `realmgate demo`."
            )
        }
        let account = request.limitKey
        let lease = try pool.lease(for: account)
        try pool.checkRoom()
        guard demo.begin() else { return .now(try demoResponse(202)) }
        pool.run(for: account) { [self] in
            defer { withExtendedLifetime(lease) {} }
            runDemo(directory)
        }
        return .now(try demoResponse(202))
    }

    /// The directory of the demo's files; nil for a database that cannot have the demo.
    private var demoDirectory: String? {
        // A program defines its own classes.
        context.settings.now.schemaApproval == nil ? context.settings.now.demoDirectory : nil
    }

    private func runDemo(_ directory: String) {
        let watch = TransferWatch()
        do {
            var last = DemoLoader.Progress()
            let isLoaded = try DemoLoader(directory: directory, store: context.store).run { [self] in
                try watch.check()
                if context.isDraining.load(ordering: .relaxed) { throw Stopped() }
            } progress: { done in
                last = done
                demo.set(.loading(done))
            }
            demo.set(
                isLoaded
                    ? .loaded(last) : .failed("The database got other classes before the demo could be loaded."))
        } catch is Stopped {
            demo.set(.failed("The server stopped before the demo was loaded."))
        } catch {
            demo.set(.failed(context.problem(of: error).detail))
        }
    }

    private func demoResponse(_ status: Int) throws -> Response {
        let state = demo.now
        let isEmpty = try context.store.snapshot().schema.classes.isEmpty
        let json = JSONWriter(capacity: 128)
        json.beginObject()
        json.name("available")
        json.bool(demoDirectory != nil && isEmpty)
        json.name("state")
        json.string(state.name)
        switch state {
        case .loading(let done), .loaded(let done):
            for (name, number) in [("objects", done.objects), ("bytes", done.bytes), ("total", done.total)] {
                json.name(name)
                json.int(number)
            }
        case .failed(let detail):
            json.name("detail")
            json.string(detail)
        case .idle: break
        }
        json.endObject()
        var response = Response.json(json.bytes, status: status)
        response.headers["Cache-Control"] = "no-store"
        return response
    }
}
