/// A short list of edits that turns one list into another, as writing a list as a whole does.
package enum ListDifference {
    /// One edit. Its index applies to the list after all preceding edits. Replacements precede all other steps.
    package enum Step: Hashable, Sendable {
        case replace(at: Int, Value)
        case remove(at: Int)
        case insert(at: Int, Value)
    }

    /// The limit for a search for the fewest edits: the number of elements of both lists between their equal ends. The
    /// search takes time and memory proportional to that number times the number of edits.
    package static let limit = 1000

    /// The elements of a long list that are read at a time.
    static let piece = 2048

    /// The edits in the order of their execution; nil when the lists differ at so many positions that one replaces the
    /// other.
    package static func steps(from old: [Value], to new: [Value]) -> [Step]? {
        steps(from: old.count, to: new) { old[$0] }
    }

    /// Does the same with an old list that is read in pieces, so that a long one is never in memory as a whole. Cost:
    /// the equal ends of both lists are read, and the elements between them only if they are few.
    ///
    /// - Parameters:
    ///   - count: the number of elements of the old list.
    ///   - read: returns all elements in a range of it, or fewer if the list has fewer.
    package static func steps(
        from count: Int, to new: [Value], _ read: (Range<Int>) throws -> ArraySlice<Value>
    ) rethrows -> [Step]? {
        let shorter = min(count, new.count)
        var head = 0
        while head < shorter {
            let range = head..<min(head + piece, shorter)
            let old = try read(range)
            guard old.count == range.count else { return nil }
            let equal = sharedCount(old, new[range])
            head += equal
            if equal < range.count { break }
        }
        var tail = 0
        while tail < shorter - head {
            let size = min(piece, shorter - head - tail)
            let old = try read(count - tail - size..<count - tail)
            guard old.count == size else { return nil }
            let equal = sharedCount(old.reversed(), new[..<(new.count - tail)].reversed())
            tail += equal
            if equal < size { break }
        }
        let after = new[head..<new.count - tail]
        guard count - tail - head + after.count <= limit else { return nil }
        let before = try read(head..<count - tail)
        guard before.count == count - tail - head else { return nil }
        if before.count == after.count, zip(before, after).count(where: { $0 != $1 }) <= 1 + before.count / 2 {
            // Assigned in place.
            return zip(before, after.indices).filter { $0 != new[$1] }.map { .replace(at: $1, new[$1]) }
        }
        return Array(after).difference(from: Array(before)).map { step in
            switch step {
            case .remove(let offset, _, _): .remove(at: head + offset)
            case .insert(let offset, let element, _): .insert(at: head + offset, element)
            }
        }
    }

    /// The number of equal elements at the beginning.
    private static func sharedCount(_ a: some Sequence<Value>, _ b: some Sequence<Value>) -> Int {
        var count = 0
        for (a, b) in zip(a, b) {
            guard a == b else { break }
            count += 1
        }
        return count
    }
}

extension ListDifference {
    /// Returns edits that compare elements at equal positions, and then shorten or extend the list. Cost: both lists.
    package static func stepsByPosition(from old: [Value], to new: [Value]) -> [Step] {
        let shared = min(old.count, new.count)
        return (0..<shared).filter { old[$0] != new[$0] }.map { .replace(at: $0, new[$0]) }
            + (shared..<old.count).reversed().map { .remove(at: $0) }
            + (shared..<new.count).map { .insert(at: $0, new[$0]) }
    }
}

extension ListEdit {
    /// The edit that writing a list as a whole makes.
    package init(from old: [Value], to new: [Value]) {
        guard let steps = ListDifference.steps(from: old, to: new) else {
            self.init(replacing: old.count, with: new.count)
            return
        }
        self.init()
        for step in steps {
            switch step {
            case .replace(let index, _): recordModification(at: index)
            case .remove(let index): recordDeletion(at: index)
            case .insert(let index, _): recordInsertion(at: index)
            }
        }
    }
}
