import Glibc

/// Waits until the condition holds, and returns true; returns false when `TestRun.patience` has run out.
///
/// Blocks the thread between evaluations. The other function is the one for asynchronous callers, also of conditions
/// without `await`: the tasks of all tests share a few threads.
@_disfavoredOverload
package func eventually(_ condition: () throws -> Bool) rethrows -> Bool {
    let end = ContinuousClock.now + .seconds(TestRun.patience)
    while true {
        if try condition() { return true }
        // What became true at the very end counts.
        guard ContinuousClock.now < end else { return try condition() }
        usleep(2_000)
    }
}

/// Waits until the condition holds, and returns true; returns false when `TestRun.patience` has run out.
///
/// Suspends the task between evaluations. Runs where the caller does, so that the condition may use what is there.
package func eventually(
    isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
) async throws -> Bool {
    let end = ContinuousClock.now + .seconds(TestRun.patience)
    while true {
        if try await condition() { return true }
        guard ContinuousClock.now < end else { return try await condition() }
        try await Task.sleep(for: .milliseconds(2))
    }
}
