import QueryLanguage

extension Quantifier {
    /// Whether it is still undecided after a value that passes, or fails, a test.
    @inline(__always)
    func goesOn(after passes: Bool) -> Bool { self == .all ? passes : !passes }

    /// Whether it holds when values were looked at as long as it went on.
    @inline(__always)
    func holds(reachedEnd: Bool) -> Bool { self == .any ? !reachedEnd : reachedEnd }

    /// Whether as many of the values as it wants pass the test.
    @inline(__always)
    func holds<T>(_ values: [T], _ test: (T) -> Bool) -> Bool {
        switch self {
        case .any: values.contains(where: test)
        case .all: values.allSatisfy(test)
        case .none: !values.contains(where: test)
        }
    }
}
