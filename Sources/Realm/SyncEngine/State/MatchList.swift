import ObjectModel

/// The matches of a subscription as of the last event, in the order of the gateway's result, to whose positions events
/// refer. Objects are named by their numbers: see `ReportedClass`. Stored in pieces, so that a small change rewrites
/// little.
struct MatchList: Sendable {
    typealias Number = ReportedClass.Number

    struct Piece: Sendable {
        let id: Int
        var numbers: [Number]
    }

    /// The maximum number of objects in a piece.
    static let largest = 512

    private(set) var pieces: [Piece] = []
    private(set) var count = 0
    /// A bit for each number, whether the list has it.
    private var known: [UInt64] = []
    private var lastID = 0
    /// The pieces that have changed since they were last stored.
    private(set) var changed: Set<Int> = []
    private(set) var removed: Set<Int> = []
    private(set) var orderChanged = false

    init() {}

    /// Creates a list from its stored pieces.
    init(pieces: [Piece]) {
        self.pieces = pieces
        lastID = pieces.map(\.id).max() ?? 0
        for piece in pieces {
            count += piece.numbers.count
            for number in piece.numbers { _ = note(number) }
        }
    }

    var numbers: [Number] { pieces.flatMap(\.numbers) }

    func contains(_ number: Number) -> Bool {
        let word = Int(number) >> 6
        return word < known.count && known[word] & 1 << UInt64(number & 63) != 0
    }

    /// Returns false if the list has it already.
    private mutating func note(_ number: Number) -> Bool {
        let (word, bit) = (Int(number) >> 6, UInt64(1) << UInt64(number & 63))
        if word >= known.count { known.append(contentsOf: repeatElement(0, count: word + 1 - known.count)) }
        guard known[word] & bit == 0 else { return false }
        known[word] |= bit
        return true
    }

    /// Returns the number at a position; nil beyond the end.
    func number(at position: Int) -> Number? {
        guard let (piece, offset) = location(of: position) else { return nil }
        return pieces[piece].numbers[offset]
    }

    /// Replaces all. Returns false if a number is repeated; the list is not to be used any more then.
    mutating func replace(with numbers: [Number]) -> Bool {
        for piece in pieces { forget(piece.id) }
        pieces = []
        known = []
        count = numbers.count
        for number in numbers { guard note(number) else { return false } }
        add(numbers[...], at: 0)
        orderChanged = true
        return true
    }

    /// Removes and returns the number at a position; nil beyond the end.
    @discardableResult
    mutating func remove(at position: Int) -> Number? {
        guard let (piece, offset) = location(of: position) else { return nil }
        let number = pieces[piece].numbers.remove(at: offset)
        known[Int(number) >> 6] &= ~(1 << UInt64(number & 63))
        count -= 1
        changed.insert(pieces[piece].id)
        if pieces[piece].numbers.isEmpty {
            forget(pieces[piece].id)
            pieces.remove(at: piece)
            orderChanged = true
        }
        return number
    }

    /// Inserts numbers in a row, the first of them at a position. Returns false if the position is beyond the end, or
    /// if the list has one of them already; it is not to be used any more then.
    mutating func insert(_ numbers: ArraySlice<Number>, at position: Int) -> Bool {
        guard position >= 0, position <= count else { return false }
        for number in numbers { guard note(number) else { return false } }
        guard !pieces.isEmpty else {
            count = numbers.count
            add(numbers, at: 0)
            return true
        }
        let (piece, offset) = location(of: position) ?? (pieces.count - 1, pieces[pieces.count - 1].numbers.count)
        count += numbers.count
        pieces[piece].numbers.insert(contentsOf: numbers, at: offset)
        changed.insert(pieces[piece].id)
        guard pieces[piece].numbers.count > Self.largest else { return true }
        let rest = pieces[piece].numbers[(Self.largest / 2)...]
        pieces[piece].numbers.removeSubrange((Self.largest / 2)...)
        add(rest, at: piece + 1)
        return true
    }

    mutating func wasKept() {
        changed = []
        removed = []
        orderChanged = false
    }

    /// Whether there is anything to store.
    var isChanged: Bool { orderChanged || !changed.isEmpty || !removed.isEmpty }

    /// Inserts new pieces.
    private mutating func add(_ numbers: ArraySlice<Number>, at index: Int) {
        var added: [Piece] = []
        for start in stride(from: numbers.startIndex, to: numbers.endIndex, by: Self.largest / 2) {
            lastID += 1
            changed.insert(lastID)
            let end = min(start + Self.largest / 2, numbers.endIndex)
            added.append(Piece(id: lastID, numbers: Array(numbers[start..<end])))
        }
        pieces.insert(contentsOf: added, at: index)
        orderChanged = true
    }

    private mutating func forget(_ id: Int) {
        changed.remove(id)
        removed.insert(id)
    }

    private func location(of position: Int) -> (piece: Int, offset: Int)? {
        guard position >= 0, position < count else { return nil }
        // Most events go on at the end.
        if let last = pieces.last, position >= count - last.numbers.count {
            return (pieces.count - 1, position - (count - last.numbers.count))
        }
        var rest = position
        for index in pieces.indices {
            if rest < pieces[index].numbers.count { return (index, rest) }
            rest -= pieces[index].numbers.count
        }
        return nil
    }
}
