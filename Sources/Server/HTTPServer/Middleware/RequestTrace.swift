import Glibc
import Synchronization

/// What is found out about a request on its way in, for the log and the numbers outside. Shared by all copies of the
/// request.
package final class RequestTrace: Sendable {
    /// What client and log call the request: letters, digits and `._~+/=:@-`, at most 128.
    package let label: String
    /// When it arrived, in monotonic nanoseconds.
    let start = monotonicNanoseconds()

    struct Found {
        var route: (index: Int, route: Router.Route)?
        var caller: String?
    }

    private let state = Mutex(Found())

    package init(label: String) { self.label = label }

    /// Who calls, as the log may have it: the id of a key or the subject of a token, never a secret.
    package var caller: String? {
        get { state.withLock { $0.caller } }
        set { state.withLock { $0.caller = newValue } }
    }

    /// The route that the request took; the outermost router's where one is inside another.
    package var route: Router.Route? { state.withLock { $0.route?.route } }

    /// All that is known by now.
    var found: Found { state.withLock { $0 } }

    func take(_ route: Router.Route, index: Int) {
        state.withLock { state in
            if state.route == nil { state.route = (index, route) }
        }
    }
}

package func monotonicNanoseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
