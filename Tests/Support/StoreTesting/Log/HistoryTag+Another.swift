package import ObjectModel
import Synchronization
import TestBasics

extension HistoryTag {
    private static let given = Atomic<UInt64>(0)

    /// A tag that no other call in this process got: tests need tags that differ, and not luck.
    package static func another() -> HistoryTag {
        // A bijection, so that different numbers give different tags.
        var spread = SeededRandom(seed: given.add(1, ordering: .relaxed).newValue)
        return HistoryTag(rawValue: spread.next())
    }
}
