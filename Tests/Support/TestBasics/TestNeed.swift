import Glibc

/// What a test needs of the machine, such as rights or a program.
package enum TestNeed {
    /// Whether the tests with this need run.
    ///
    /// Where it is not met they are skipped, and a line says so, which `./test` repeats at its end. With `CI` set they
    /// run, and fail: a gate that leaves tests out would prove less than it says.
    ///
    ///     static let isMet = TestNeed.isMet(canMount, "full devices", because: "this user may not mount")
    ///
    /// Keep the result in a constant, so that one line is printed and not one for each test.
    package static func isMet(_ isThere: Bool, _ what: String, because reason: String) -> Bool {
        if isThere || isCI { return true }
        let line = "NOT TESTED: \(what), because \(reason)\n"
        _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
        return false
    }

    private static var isCI: Bool { getenv("CI").map { $0.pointee != 0 } ?? false }
}
