import Glibc

/// SIGTERM, SIGINT and SIGHUP as something to wait for.
///
/// They are blocked in the thread that calls `block()` and in every thread made after that, so call it before
/// any other thread is started; `wait()` then takes the first one. It also works as process 1 of a container,
/// where a signal with no handler would be ignored.
enum Signals {
    enum Order {
        /// To read the configuration again.
        case reload
        case stop(signal: String)
    }

    static func block() {
        var signals = set
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        // A client that hangs up while it is being answered is no reason to stop.
        signal(SIGPIPE, SIG_IGN)
    }

    /// Waits for a signal and says what it means. After one that stops, another one ends the process at once.
    static func wait() -> Order {
        var signals = set
        var number: Int32 = 0
        // Fails only for a set with invalid signals.
        sigwait(&signals, &number)
        if number == SIGHUP { return .reload }
        for forced in [SIGTERM, SIGINT] { signal(forced) { _exit(128 + $0) } }
        // One for reading the configuration again is of no use any more, and must not end the process.
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
