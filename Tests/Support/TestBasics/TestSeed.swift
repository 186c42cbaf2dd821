/// The seeds of random tests.
///
/// A seed follows from the name of the test and from its argument, so that every run of the tests makes the same
/// choices, and a test that is added or changed leaves the choices of the others as they are. `TestRun.seed` gives every
/// test another seed, the same one in each run with that number. `./test` prints the command that repeats a failure.
package enum TestSeed {
    /// Returns the seed of the calling test.
    ///
    /// - Parameter argument: tells the cases of a parameterised test, or the generators of one test, apart. Its
    ///   description must be the same in every run.
    package static func of(
        _ argument: some Any = "", fileID: StaticString = #fileID, function: StaticString = #function
    ) -> UInt64 {
        var text = "\(fileID) \(function) \(argument)"
        if let run = TestRun.seed { text += " \(run)" }
        // FNV-1a, because Swift's own hashes differ from process to process.
        return text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
    }
}
