import Glibc

/// SIGTERM and SIGINT as something to wait for.
///
/// They are blocked in the thread that calls `block()` and in every thread made after that, so call it before
/// any other thread is started; `wait()` then takes the first one. It also works as process 1 of a container,
/// where a signal with no handler would be ignored.
enum StopSignals {
    static func block() {
        var signals = set
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        // A client that hangs up while it is being answered is no reason to stop.
        signal(SIGPIPE, SIG_IGN)
    }

    /// Waits for a signal and gives its name. From then on another one ends the process at once.
    static func wait() -> String {
        var signals = set
        var number: Int32 = 0
        // Fails only for a set with invalid signals.
        sigwait(&signals, &number)
        for forced in [SIGTERM, SIGINT] { signal(forced) { _exit(128 + $0) } }
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        return number == SIGINT ? "SIGINT" : "SIGTERM"
    }

    private static var set: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        sigaddset(&signals, SIGINT)
        return signals
    }
}
