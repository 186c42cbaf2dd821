/// A moment after which a wait ends, by the clock that nobody sets.
struct Deadline: Sendable {
    private let end: ContinuousClock.Instant

    init(after duration: Duration) { end = ContinuousClock.now + duration }

    /// The earlier of this moment and one after `duration`.
    func limited(to duration: Duration) -> Deadline {
        Deadline(after: min(duration, remaining))
    }

    var remaining: Duration { ContinuousClock.now.duration(to: end) }

    var isOver: Bool { remaining <= .zero }

    /// The rest as poll(2) takes it: at least 1 until the moment has come.
    var milliseconds: Int32 {
        let rest = remaining
        guard rest > .zero else { return 0 }
        return Int32(clamping: rest.milliseconds + 1)
    }
}

extension Duration {
    /// Whole milliseconds.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }
}
