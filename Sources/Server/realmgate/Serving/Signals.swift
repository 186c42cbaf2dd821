import Glibc

/// Waits for SIGTERM, SIGINT and SIGHUP.
///
/// `block()` blocks them in the calling thread and in every thread created later, so call it before any other thread
/// exists; `wait()` then receives the first one. This also works as process 1 of a container, where a signal without a
/// handler would be ignored.
enum Signals {
    enum Order {
        /// Reload the configuration.
        case reload
        case stop(signal: String)
    }

    static func block() {
        var signals = set
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        // A client that disconnects during its response must not end the process.
        signal(SIGPIPE, SIG_IGN)
    }

    /// Waits for a signal and returns its meaning. After one that stops the server, another one ends the process at
    /// once.
    static func wait() -> Order {
        var signals = set
        var number: Int32 = 0
        // Fails only for a set with invalid signals.
        sigwait(&signals, &number)
        if number == SIGHUP { return .reload }
        for forced in [SIGTERM, SIGINT] { signal(forced) { _exit(128 + $0) } }
        // A reload no longer has an effect, and must not end the process.
        signal(SIGHUP, SIG_IGN)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        return .stop(signal: number == SIGINT ? "SIGINT" : "SIGTERM")
    }

    private static var set: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&signals, signal) }
        return signals
    }
}
