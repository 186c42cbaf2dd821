package import HTTPMessages

/// Waiting events, oldest first. A queue of at most one event, which nearly every stream has nearly always, allocates
/// nothing; a longer one frees its memory when it is empty.
package struct EventQueue: RandomAccessCollection, Sendable {
    private var oldest: SharedBytes?
    private var later: [SharedBytes] = []
    /// The number of elements of `later` that have been moved up.
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

    /// Appends another queue's events, without a copy if this one is empty.
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
