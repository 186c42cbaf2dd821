import Glibc

/// What the environment says about this run of the tests.
package enum TestRun {
    /// `REALMGATE_SEED`: nil for the seeds that the gate uses, a number for others; `random` draws and prints a number.
    package static let seed: UInt64? = {
        guard let text = variable("REALMGATE_SEED") else { return nil }
        if let number = UInt64(text) { return number }
        precondition(text == "random", "REALMGATE_SEED is '\(text)'. Give it a whole number, or the word random.")
        let drawn = UInt64(UInt32.random(in: .min ... .max))
        let line = "REALMGATE_SEED=\(drawn)\n"
        _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
        return drawn
    }()

    /// Whether this run has the seeds that the gate uses.
    ///
    /// Only then may a test assert that its random choices reached a certain case: with other seeds that is luck.
    package static var hasFixedSeeds: Bool { seed == nil }

    /// `REALMGATE_LONG_TESTS`: how many times as long random tests are as in the gate, 1 unless it is set.
    package static let length = number("REALMGATE_LONG_TESTS") ?? 1

    /// `REALMGATE_PATIENCE`: the seconds that a test waits for an event that must come, 120 unless it is set.
    ///
    /// A test that waits this long has found a fault: a loaded machine is no reason. All waits have this one limit,
    /// which says nothing about how fast the event should come.
    package static let patience = number("REALMGATE_PATIENCE") ?? 120

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func number(_ name: String) -> Int? {
        guard let text = variable(name) else { return nil }
        guard let number = Int(text), number > 0 else {
            preconditionFailure("\(name) is '\(text)'. Give it a whole number above 0.")
        }
        return number
    }
}
