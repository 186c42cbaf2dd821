import Columnar
import ObjectModel

/// The former value of a property of an object: `start`, or the present value, with the edits of the collection undone.
struct AsOfValue: Sendable {
    /// Nil for the present value.
    var start: Value?
    /// Latest first.
    var edits: [UndoStep.Change] = []

    /// Undoes a change that was made before those that have already been undone.
    mutating func revert(_ change: UndoStep.Change, _ kind: LeafKind) throws(LeafError) {
        if case .assigned(_, let old) = change {
            self = AsOfValue(start: try Self.whole(old, kind))
        } else {
            guard kind.collection != .single else { throw .kindMismatch }
            edits.append(change)
        }
    }

    /// The value of a column of that kind.
    static func whole(_ value: Value, _ kind: LeafKind) throws(LeafError) -> Value {
        if kind == .set, case .list(let elements) = value { return .set(elements) }
        guard kind.accepts(value) else { throw .kindMismatch }
        return value
    }
}

/// The elements of a collection while edits of it are undone, in chunks, so that many edits of a long one do not each
/// move all later elements.
struct AsOfElements {
    private static let chunkLimit = 1024

    private var chunks: [ElementBlock]

    init(_ collection: Value) {
        let all = ElementBlock(collection)
        chunks = all.runs(of: Self.chunkLimit / 2, bytes: .max).map { all.slice($0) }
        if chunks.isEmpty { chunks = [all] }
    }

    var all: ElementBlock {
        var result = ElementBlock(hasKeys: chunks[0].hasKeys)
        for chunk in chunks { result.append(chunk) }
        return result
    }

    /// Throws `malformed` when the position does not exist, which only a damaged file can cause.
    mutating func revert(_ change: UndoStep.Change) throws(LeafError) {
        switch change {
        case .deleted, .assigned: throw .malformed
        case .inserted(_, let range): try remove(range)
        case .replaced(_, let position, let old):
            let (chunk, offset) = try location(position, isNew: false)
            chunks[chunk].replace(old, at: offset)
        case .removed(_, let position, let mapKey, let old):
            let (chunk, offset) = try location(position, isNew: true)
            guard chunks[chunk].hasKeys == (mapKey != nil) else { throw .malformed }
            chunks[chunk].insert(old, key: mapKey, at: offset)
            if chunks[chunk].count > Self.chunkLimit {
                let rest = chunks[chunk].split(at: chunks[chunk].count / 2)
                chunks.insert(rest, at: chunk + 1)
            }
        }
    }

    private mutating func remove(_ range: Range<Int>) throws(LeafError) {
        guard range.lowerBound >= 0 else { throw .malformed }
        var start = 0
        var rest = range.count
        var remaining: [ElementBlock] = []
        for chunk in chunks {
            let own = range.clamped(to: start..<start + chunk.count)
            start += chunk.count
            guard !own.isEmpty else {
                remaining.append(chunk)
                continue
            }
            rest -= own.count
            let first = start - chunk.count
            var left = chunk.slice(0..<own.lowerBound - first)
            left.append(chunk.slice(own.upperBound - first..<chunk.count))
            if left.count > 0 { remaining.append(left) }
        }
        guard rest == 0 else { throw .malformed }
        chunks = remaining.isEmpty ? [ElementBlock(hasKeys: chunks[0].hasKeys)] : remaining
    }

    /// The chunk that contains an element, or the position of a new one, and the offset in it.
    private func location(_ position: Int, isNew: Bool) throws(LeafError) -> (chunk: Int, offset: Int) {
        guard position >= 0 else { throw .malformed }
        var rest = position
        for index in chunks.indices {
            let count = chunks[index].count
            if rest < count || isNew && rest == count { return (index, rest) }
            rest -= count
        }
        throw .malformed
    }
}
