/// Events that wait, oldest first. A queue of at most one event allocates nothing, which is what nearly every stream
/// holds nearly always; a longer one gives its memory back when it has emptied.
package struct EventQueue: RandomAccessCollection, Sendable {
    private var oldest: SharedBytes?
    private var later: [SharedBytes] = []
    /// How many of `later` have moved up already.
    private var moved = 0

    package init() {}

    package var startIndex: Int { 0 }
    package var endIndex: Int { (oldest == nil ? 0 : 1) + later.count - moved }
    package var isEmpty: Bool { oldest == nil }

    package subscript(position: Int) -> SharedBytes {
        if position == 0, let oldest { return oldest }
        return later[moved + position - 1]
    }

    package mutating func append(_ event: SharedBytes) {
        if oldest == nil { oldest = event } else { later.append(event) }
    }

    /// Takes over another queue's events, without a copy when this one is empty.
    package mutating func append(_ other: EventQueue) {
        if isEmpty {
            self = other
        } else {
            for event in other { append(event) }
        }
    }

    package mutating func removeOldest() {
        guard moved < later.count else {
            self = EventQueue()
            return
        }
        oldest = later[moved]
        moved += 1
        if moved == later.count {
            later = []
            moved = 0
        } else if moved >= 64, moved * 2 >= later.count {
            later.removeFirst(moved)
            moved = 0
        }
    }
}
