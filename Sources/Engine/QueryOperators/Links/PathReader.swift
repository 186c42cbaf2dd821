import Columnar
package import ObjectModel
package import QueryLanguage

/// Follows one path from objects to values. Views borrow bytes of the source, or of the reader, and stay valid as long
/// as both live. Reading the value of a path without to-many steps allocates nothing. Used by one thread at a time, and
/// not reentrant from its callbacks.
package final class PathReader {
    private enum End {
        case column(ColumnReader)
        /// A collection property, into which the first step leads.
        case collection(ColumnReader)
        case object
        case count
    }

    let isToMany: Bool
    private let links: LinkReader
    private let end: End
    private let steps: ValueSteps

    package init(_ path: BoundPath, from classID: ClassID, in source: any ColumnSource) {
        isToMany = path.isToMany
        links = LinkReader(path.links, from: classID, in: source)
        steps = ValueSteps(path.steps, in: source)
        switch path.end {
        case .property(let property, let type):
            let reader = ColumnReader(source, links.endClass, property)
            end = type.isCollection ? .collection(reader) : .column(reader)
        case .object: end = .object
        case .count: end = .count
        }
    }

    // MARK: Paths that are not to-many

    /// The one value of a path that is not to-many; nil where a link on the path is null, or the element of a
    /// collection of links does not exist. Where the path ends in an object, its last link is the value, which may be
    /// null.
    @inline(__always)
    func view(_ key: ObjectKey) throws -> ValueView? {
        if case .column(let reader) = end, steps.isEmpty {
            return try links.single(key).map { try reader.view($0) }
        }
        return try viewOfOtherEnd(key)
    }

    private func viewOfOtherEnd(_ key: ObjectKey) throws -> ValueView? {
        switch end {
        case .count:
            return .int(Int64(try links.count(key)))
        case .column(let reader):
            return try links.single(key).map { try steps.single(in: try reader.view($0)) ?? .null }
        case .collection(let reader):
            return try links.single(key).map { try reader.collection($0).flatMap { try steps.single(in: $0) } ?? .null }
        case .object:
            if let object = try links.single(key) { return reference(object) }
            return try links.beforeLast(key).map { _ in .null }
        }
    }

    /// The value as an independent copy.
    package func single(_ key: ObjectKey) throws -> Value? { try view(key)?.value }

    /// The object that the links of a path that is not to-many lead to.
    func singleObject(_ key: ObjectKey) throws -> ObjectKey? { try links.single(key) }

    /// The reader of the value at the end, when that is a single value in a column.
    var column: ColumnReader? {
        if case .column(let reader) = end, steps.isEmpty { return reader }
        return nil
    }

    // MARK: All paths

    /// Calls `body` with each value of the path until it returns false; returns whether it reached the end. A path that
    /// is not to-many has one value, which may be null; a to-many path has the values that exist.
    @inline(__always)
    func forEach(_ key: ObjectKey, _ body: (ValueView) throws -> Bool) throws -> Bool {
        if !isToMany { return try body(try view(key) ?? .null) }
        // Values of the object itself need no links.
        if !links.isToMany {
            guard let object = try links.single(key) else { return true }
            return try forEachValue(of: object, body)
        }
        return try links.forEach(key) { try forEachValue(of: $0, body) }
    }

    private func forEachValue(of object: ObjectKey, _ body: (ValueView) throws -> Bool) throws -> Bool {
        switch end {
        case .column(let reader):
            let value = try reader.view(object)
            return steps.isEmpty ? try body(value) : try steps.forEach(in: value, body)
        case .collection(let reader):
            return try reader.collection(object).map { try steps.forEach(in: $0, body) } ?? true
        case .object, .count:
            return try body(reference(object))
        }
    }

    /// All values of the path, as independent copies.
    func values(_ key: ObjectKey) throws -> [Value] {
        var values: [Value] = []
        _ = try forEach(key) { view in
            values.append(view.value)
            return true
        }
        return values
    }

    private func reference(_ key: ObjectKey) -> ValueView { .reference(ObjectReference(links.endClass, key)) }
}
