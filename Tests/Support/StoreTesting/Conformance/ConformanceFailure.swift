import StoreContract

/// A store broke the contract; `description` has the expected and the actual result.
package struct ConformanceFailure: Error, CustomStringConvertible, Sendable {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// Throws when the condition does not hold.
func require(_ condition: Bool, _ expectation: @autoclosure () -> String) throws {
    if !condition { throw ConformanceFailure(expectation()) }
}

/// Throws when the values differ.
func requireEqual<T: Equatable>(_ actual: T, _ expected: T, _ what: @autoclosure () -> String) throws {
    if actual != expected { throw ConformanceFailure("\(what()): expected \(expected), got \(actual)") }
}

/// Throws unless `body` throws a store error of that code.
func requireError(_ code: StoreError.Code, _ what: String, _ body: () throws -> Void) throws {
    do {
        try body()
    } catch let error as StoreError {
        try requireEqual(error.code, code, "error code of \(what)")
        return
    }
    throw ConformanceFailure("\(what) succeeded; it must fail with \(code.rawValue)")
}
