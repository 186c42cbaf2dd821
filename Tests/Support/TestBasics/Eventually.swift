import Glibc

/// Waits until the condition holds, and returns true; returns false when `TestRun.patience` has run out.
///
/// Blocks the thread between evaluations.
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
/// Suspends the task between evaluations.
package func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
    let end = ContinuousClock.now + .seconds(TestRun.patience)
    while true {
        if try await condition() { return true }
        guard ContinuousClock.now < end else { return try await condition() }
        try await Task.sleep(for: .milliseconds(2))
    }
}
