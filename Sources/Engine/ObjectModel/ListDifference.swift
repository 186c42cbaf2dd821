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

    /// The edits in the order of their execution; nil when the lists differ in so many places that one replaces the
    /// other.
    package static func steps(from old: [Value], to new: [Value]) -> [Step]? {
        let shorter = min(old.count, new.count)
        let head = (0..<shorter).first { old[$0] != new[$0] } ?? shorter
        let tail = (0..<shorter - head).first { old[old.count - 1 - $0] != new[new.count - 1 - $0] } ?? shorter - head
        let (before, after) = (old[head..<old.count - tail], new[head..<new.count - tail])
        guard before.count + after.count <= limit else { return nil }
        if before.count == after.count, zip(before, after).count(where: { $0 != $1 }) <= 1 + before.count / 2 {
            // Assigned in place.
            return before.indices.filter { old[$0] != new[$0] }.map { .replace(at: $0, new[$0]) }
        }
        return Array(after).difference(from: Array(before)).map { step in
            switch step {
            case .remove(let offset, _, _): .remove(at: head + offset)
            case .insert(let offset, let element, _): .insert(at: head + offset, element)
            }
        }
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
