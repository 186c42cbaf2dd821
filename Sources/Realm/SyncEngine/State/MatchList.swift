import ObjectModel

/// The matches of a subscription as of the last event: primary keys in the order of the gateway's result, to whose
/// positions events refer. Stored in pieces, so that a small change rewrites little.
struct MatchList: Sendable {
    struct Piece: Sendable {
        let id: Int
        var keys: [Value]
    }

    /// The maximum number of keys in a piece.
    static let largest = 512

    private(set) var pieces: [Piece] = []
    private var known: Set<Value> = []
    private var lastID = 0
    /// The pieces that have changed since they were last stored.
    private(set) var changed: Set<Int> = []
    private(set) var removed: Set<Int> = []
    private(set) var orderChanged = false

    init() {}

    /// Creates a list from its stored pieces.
    init(pieces: [Piece]) {
        self.pieces = pieces
        known = Set(pieces.flatMap(\.keys))
        lastID = pieces.map(\.id).max() ?? 0
    }

    var count: Int { known.count }
    var keys: [Value] { pieces.flatMap(\.keys) }
    func contains(_ key: Value) -> Bool { known.contains(key) }

    /// Returns the key at a position; nil beyond the end.
    func key(at position: Int) -> Value? {
        guard let (piece, offset) = location(of: position) else { return nil }
        return pieces[piece].keys[offset]
    }

    mutating func replace(with keys: [Value]) {
        for piece in pieces { forget(piece.id) }
        pieces = []
        known = Set(keys)
        for start in stride(from: 0, to: keys.count, by: Self.largest / 2) {
            append(Array(keys[start..<min(start + Self.largest / 2, keys.count)]), at: pieces.count)
        }
        orderChanged = true
    }

    /// Removes and returns the key at a position; nil beyond the end.
    @discardableResult
    mutating func remove(at position: Int) -> Value? {
        guard let (piece, offset) = location(of: position) else { return nil }
        let key = pieces[piece].keys.remove(at: offset)
        known.remove(key)
        changed.insert(pieces[piece].id)
        if pieces[piece].keys.isEmpty {
            forget(pieces[piece].id)
            pieces.remove(at: piece)
            orderChanged = true
        }
        return key
    }

    /// Inserts a key at a position, which is at most the count.
    mutating func insert(_ key: Value, at position: Int) {
        known.insert(key)
        guard !pieces.isEmpty else { return append([key], at: 0) }
        let (piece, offset) = location(of: position) ?? (pieces.count - 1, pieces[pieces.count - 1].keys.count)
        pieces[piece].keys.insert(key, at: offset)
        changed.insert(pieces[piece].id)
        guard pieces[piece].keys.count > Self.largest else { return }
        let half = Array(pieces[piece].keys[(Self.largest / 2)...])
        pieces[piece].keys.removeSubrange((Self.largest / 2)...)
        append(half, at: piece + 1)
    }

    mutating func wasKept() {
        changed = []
        removed = []
        orderChanged = false
    }

    private mutating func append(_ keys: [Value], at index: Int) {
        lastID += 1
        pieces.insert(Piece(id: lastID, keys: keys), at: index)
        changed.insert(lastID)
        orderChanged = true
    }

    private mutating func forget(_ id: Int) {
        changed.remove(id)
        removed.insert(id)
    }

    private func location(of position: Int) -> (piece: Int, offset: Int)? {
        var rest = position
        guard rest >= 0 else { return nil }
        for index in pieces.indices {
            if rest < pieces[index].keys.count { return (index, rest) }
            rest -= pieces[index].keys.count
        }
        return nil
    }
}
