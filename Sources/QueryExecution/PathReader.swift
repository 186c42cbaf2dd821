import Columnar
import ObjectModel
import QueryLanguage

/// Follows one path from objects to values. Used by one thread at a time.
final class PathReader {
    private enum Step {
        case forward(ColumnReader)
        case backward(origin: ClassID, property: PropertyID)
    }

    private enum End {
        case column(ColumnReader)
        case object
        case count
    }

    let isToMany: Bool
    private let source: any ColumnSource
    private let steps: [Step]
    private let end: End
    /// The class that the links lead to.
    private let endClass: ClassID

    init(_ path: BoundPath, from classID: ClassID, in source: any ColumnSource) {
        self.source = source
        isToMany = path.isToMany
        var current = classID
        var steps: [Step] = []
        for link in path.links {
            switch link {
            case .forward(let property, let target):
                steps.append(.forward(ColumnReader(source, current, property)))
                current = target
            case .elements(_, let target, _):
                current = target
            case .backward(let origin, let property):
                steps.append(.backward(origin: origin, property: property))
                current = origin
            }
        }
        self.steps = steps
        endClass = current
        switch path.end {
        case .property(let property, _): end = .column(ColumnReader(source, current, property))
        case .object: end = .object
        case .count: end = .count
        }
    }

    /// The value of a path through to-one links only; nil where a link on the way is null. Where the path ends in an object, its
    /// last link is the value, which may be null.
    func single(_ key: ObjectKey) throws -> Value? {
        switch end {
        case .count: return .int(Int64(try objects(key).count))
        case .column(let reader): return try singleObject(key).map { try reader.value($0) }
        case .object:
            guard case .forward(let reader) = steps.last else { return reference(key) }
            return try singleObject(key, steps.dropLast()).map { try reader.link($0).map(reference) ?? .null }
        }
    }

    /// The object that to-one links lead to.
    func singleObject(_ key: ObjectKey) throws -> ObjectKey? { try singleObject(key, steps[...]) }

    private func singleObject(_ key: ObjectKey, _ steps: ArraySlice<Step>) throws -> ObjectKey? {
        var current = key
        for step in steps {
            guard case .forward(let reader) = step, let next = try reader.link(current) else { return nil }
            current = next
        }
        return current
    }

    /// The reader of the value at the end, when there is one.
    var column: ColumnReader? {
        if case .column(let reader) = end { return reader }
        return nil
    }

    /// All values of the path: one, null where a link is null, for a to-one path; those of the objects that exist for a
    /// to-many path.
    func values(_ key: ObjectKey) throws -> [Value] {
        if !isToMany { return [try single(key) ?? .null] }
        return try objects(key).map { object in
            if case .column(let reader) = end { return try reader.value(object) }
            return reference(object)
        }
    }

    private func reference(_ key: ObjectKey) -> Value { .reference(ObjectReference(endClass, key)) }

    /// The objects that the links lead to; one appears as often as there are ways to it.
    private func objects(_ key: ObjectKey) throws -> [ObjectKey] {
        var current = [key]
        for step in steps {
            switch step {
            case .forward(let reader):
                current = try current.compactMap { try reader.link($0) }
            case .backward(let origin, let property):
                current = try current.flatMap { try source.backlinks(to: $0, from: origin, property) }
            }
        }
        return current
    }
}
