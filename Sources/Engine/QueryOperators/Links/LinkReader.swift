import Columnar
import ObjectModel
import QueryLanguage

/// Follows links from one object to others. Used by one thread at a time, and not reentrant from its callbacks.
final class LinkReader {
    private enum Step {
        case forward(ColumnReader)
        /// One element of a list or map of links; for a list, one of its visible objects.
        case element(ColumnReader, ElementSelector, key: StableBytes?, among: RowPredicate?)
        case rowSecurity(RowPredicate)
        case elements(ColumnReader)
        case backward(to: ClassID, origin: ClassID, property: PropertyID)

        var isToMany: Bool {
            switch self {
            case .forward, .element, .rowSecurity: false
            case .elements, .backward: true
            }
        }
    }

    /// The objects that a to-many step led to, and how many of them have been processed.
    private struct Level {
        let step: Int
        var keys: [ObjectKey] = []
        var position = 0
    }

    let isToMany: Bool
    /// The class that the links lead to.
    let endClass: ClassID
    private let source: any ColumnSource
    private let steps: [Step]
    /// The index of the last step that leads from one object to another.
    private let lastLink: Int
    /// One level for each to-many step, reused for every object. A depth-first walk, without recursion, needs memory
    /// only for the siblings on the current path, however many paths there are.
    private var levels: [Level]

    init(_ links: [LinkStep], from classID: ClassID, in source: any ColumnSource) {
        self.source = source
        var current = classID
        var steps: [Step] = []
        for (index, link) in links.enumerated() {
            switch link {
            case .forward(let property, let target):
                steps.append(.forward(ColumnReader(source, current, property)))
                current = target
            case .elements(let property, let target, .all):
                steps.append(.elements(ColumnReader(source, current, property)))
                current = target
            case .elements(let property, let target, let selector):
                var key: StableBytes?
                if case .key(let text) = selector { key = StableBytes(text.utf8) }
                var visible: RowPredicate?
                if selector.isPosition, index + 1 < links.count, case .rowSecurity(let predicate, _) = links[index + 1]
                {
                    visible = RowPredicate(predicate, on: target, in: source)
                }
                steps.append(.element(ColumnReader(source, current, property), selector, key: key, among: visible))
                current = target
            case .backward(let origin, let property):
                steps.append(.backward(to: current, origin: origin, property: property))
                current = origin
            case .rowSecurity(let predicate, _):
                steps.append(.rowSecurity(RowPredicate(predicate, on: current, in: source)))
            }
        }
        self.steps = steps
        var links = steps[...]
        while case .rowSecurity? = links.last { links.removeLast() }
        lastLink = max(0, links.count - 1)
        endClass = current
        levels = steps.indices.filter { steps[$0].isToMany }.map { Level(step: $0) }
        isToMany = !levels.isEmpty
    }

    /// The object that to-one links lead to; nil where one is null or the element does not exist.
    @inline(__always)
    func single(_ key: ObjectKey) throws -> ObjectKey? {
        steps.isEmpty ? key : try follow(key, 0..<steps.count)
    }

    /// The object before the last of several to-one links.
    func beforeLast(_ key: ObjectKey) throws -> ObjectKey? { try follow(key, 0..<lastLink) }

    /// Calls `body` with each object that the links lead to, each as often as paths lead to it, until it returns false;
    /// returns whether it reached the end.
    @inline(__always)
    func forEach(_ key: ObjectKey, _ body: (ObjectKey) throws -> Bool) throws -> Bool {
        guard isToMany else { return try single(key).map(body) ?? true }
        var depth = 0
        try enter(0, from: try follow(key, 0..<levels[0].step))
        while depth >= 0 {
            guard levels[depth].position < levels[depth].keys.count else {
                depth -= 1
                continue
            }
            let next = levels[depth].keys[levels[depth].position]
            levels[depth].position += 1
            let end = depth + 1 < levels.count ? levels[depth + 1].step : steps.count
            let reached = try follow(next, levels[depth].step + 1..<end)
            if depth + 1 < levels.count {
                depth += 1
                try enter(depth, from: reached)
            } else if let reached {
                guard try body(reached) else { return false }
            }
        }
        return true
    }

    /// The number of objects that the links lead to, each counted as often as paths lead to it.
    func count(_ key: ObjectKey) throws -> Int {
        // The number of links in a list or set is known without reading them.
        if steps.count == 1, case .elements(let reader) = steps[0] {
            guard let collection = try reader.collection(key) else { return 0 }
            if !collection.isMap { return collection.count }
        }
        var count = 0
        _ = try forEach(key) { _ in
            count += 1
            return true
        }
        return count
    }

    private func enter(_ depth: Int, from key: ObjectKey?) throws {
        var keys: [ObjectKey] = []
        swap(&keys, &levels[depth].keys)
        keys.removeAll(keepingCapacity: true)
        if let key {
            switch steps[levels[depth].step] {
            case .elements(let reader):
                _ = try reader.collection(key)?.forEach { element in
                    if case .link(let target) = element { keys.append(target) }
                    return true
                }
            case .backward(let target, let origin, let property):
                keys = try source.backlinks(to: ObjectReference(target, key), from: origin, property)
            case .forward, .element, .rowSecurity:
                break
            }
        }
        levels[depth].keys = keys
        levels[depth].position = 0
    }

    private func follow(_ key: ObjectKey, _ range: Range<Int>) throws -> ObjectKey? {
        var current = key
        for index in range {
            let next: ObjectKey?
            switch steps[index] {
            case .forward(let reader): next = try reader.link(current)
            case .element(let reader, let selector, let key, let visible):
                next = try element(reader, selector, key, among: visible, of: current)
            case .rowSecurity(let predicate): next = try predicate.holds(current) ? current : nil
            case .elements, .backward: next = nil
            }
            guard let next else { return nil }
            current = next
        }
        return current
    }

    private func element(
        _ reader: ColumnReader, _ selector: ElementSelector, _ key: StableBytes?, among visible: RowPredicate?,
        of object: ObjectKey
    ) throws -> ObjectKey? {
        if let visible { return try element(reader, selector, among: visible, of: object) }
        guard let collection = try reader.collection(object),
            case .link(let target)? = try collection.element(selector, key)
        else { return nil }
        return target
    }

    private func element(
        _ reader: ColumnReader, _ selector: ElementSelector, among visible: RowPredicate, of object: ObjectKey
    ) throws -> ObjectKey? {
        guard let collection = try reader.collection(object) else { return nil }
        var position = 0
        var found: ObjectKey?
        _ = try collection.forEach { element in
            guard case .link(let target) = element, try visible.holds(target) else { return true }
            defer { position += 1 }
            switch selector {
            case .position(let wanted):
                if position == wanted { found = target }
                return position < wanted
            case .last: found = target
            case .all, .key: break
            }
            return true
        }
        return found
    }
}

extension ElementSelector {
    /// Whether it selects by position in a list.
    package var isPosition: Bool {
        switch self {
        case .position, .last: true
        case .all, .key: false
        }
    }
}

extension StoredCollection {
    /// The one element that a selector selects; nil when there is none. `key` has the bytes of the selector's key.
    func element(_ selector: ElementSelector, _ key: StableBytes?) throws -> ValueView? {
        switch selector {
        case .all: nil
        case .position(let index): isMap ? nil : try element(at: index)
        case .last: isMap ? nil : try element(at: count - 1)
        case .key: isMap ? try key.flatMap { try element(for: $0.bytes) } : nil
        }
    }
}
