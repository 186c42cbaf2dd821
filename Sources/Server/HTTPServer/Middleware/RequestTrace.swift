import Basics
import Glibc
import Synchronization

/// Collects information about a request on its way in, for the log and the metrics. All copies of the request share it.
package final class RequestTrace: Sendable {
    /// The identifier of the request: letters, digits and `._~+/=:@-`, at most 128.
    package let label: String
    /// The time of arrival, in monotonic nanoseconds.
    let start = monotonicNanoseconds()

    struct Found {
        var route: (index: Int, route: Router.Route)?
        var caller: String?
    }

    private let state = Mutex(Found())

    package init(label: String) { self.label = label }

    /// The caller in a form that may be logged: the id of a key or the subject of a token, never a secret.
    package var caller: String? {
        get { state.withLock { $0.caller } }
        set { state.withLock { $0.caller = newValue } }
    }

    /// The route that matched; the outermost router's if one is inside another.
    package var route: Router.Route? { state.withLock { $0.route?.route } }

    /// The information collected so far.
    var found: Found { state.withLock { $0 } }

    func take(_ route: Router.Route, index: Int) {
        state.withLock { state in
            if state.route == nil { state.route = (index, route) }
        }
    }
}

package func monotonicNanoseconds() -> Int64 { SystemClock.monotonic }
