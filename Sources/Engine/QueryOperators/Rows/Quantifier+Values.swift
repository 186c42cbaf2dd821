import QuerySyntax
import QueryLanguage

extension Quantifier {
    /// Whether it is still undecided after a value that passes, or fails, a test.
    @inline(__always)
    func goesOn(after passes: Bool) -> Bool { self == .all ? passes : !passes }

    /// Whether it holds when values were tested for as long as it was undecided.
    @inline(__always)
    func holds(reachedEnd: Bool) -> Bool { self == .any ? !reachedEnd : reachedEnd }

    /// Whether it holds for the values that pass the test.
    @inline(__always)
    func holds<T>(_ values: [T], _ test: (T) -> Bool) -> Bool {
        switch self {
        case .any: values.contains(where: test)
        case .all: values.allSatisfy(test)
        case .none: !values.contains(where: test)
        }
    }
}
