import ObjectModel
import QueryLanguage
import StoreContract

/// What each step of a query did, in the order in which they were run.
final class StepMeasures {
    private(set) var parts: [(step: ResultStep, rowsIn: Int?, rowsOut: Int, nanoseconds: Int)] = []

    func note(_ step: ResultStep, rowsIn: Int?, rowsOut: Int, _ spent: Duration) {
        parts.append((step, rowsIn, rowsOut, spent.wholeNanoseconds))
    }
}
