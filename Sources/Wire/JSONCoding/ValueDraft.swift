package import ObjectModel

/// A value whose links have not been looked up, because that requires a store: a tree with a `Link` in place of each
/// link. Its type changes on the way: first it is the link as JSON writes it, then the object of a class that it
/// names.
///
/// The generic methods are inlinable, so that other modules specialise them: every imported value passes through them.
package enum ValueDraft<Link: Sendable>: Sendable {
    /// A value without links.
    case value(Value)
    case link(Link)
    case list([ValueDraft])
    case set([ValueDraft])
    case map([Entry])

    package struct Entry: Sendable {
        package var key: String
        package var value: ValueDraft

        package init(key: String, value: ValueDraft) {
            self.key = key
            self.value = value
        }
    }

    /// The value; nil if it contains a link.
    @inlinable
    package var complete: Value? {
        if case .value(let value) = self { return value }
        return nil
    }

    /// Returns the value with its links transformed, in order.
    @inlinable
    package func mapLinks<Other, Failure>(
        _ transform: (Link) throws(Failure) -> Other
    ) throws(Failure) -> ValueDraft<Other> {
        switch self {
        case .value(let value): return .value(value)
        case .link(let link): return .link(try transform(link))
        case .list(let elements): return .list(try Self.map(elements, transform))
        case .set(let elements): return .set(try Self.map(elements, transform))
        case .map(let entries):
            var mapped: [ValueDraft<Other>.Entry] = []
            mapped.reserveCapacity(entries.count)
            for entry in entries {
                mapped.append(ValueDraft<Other>.Entry(key: entry.key, value: try entry.value.mapLinks(transform)))
            }
            return .map(mapped)
        }
    }

    @inlinable
    static func map<Other, Failure>(
        _ elements: [ValueDraft], _ transform: (Link) throws(Failure) -> Other
    ) throws(Failure) -> [ValueDraft<Other>] {
        var mapped: [ValueDraft<Other>] = []
        mapped.reserveCapacity(elements.count)
        for element in elements { mapped.append(try element.mapLinks(transform)) }
        return mapped
    }

    /// Returns the first result of `find` for a link, in order; nil if `find` returns nil for all of them.
    @inlinable
    package func firstLink<Found>(where find: (Link) -> Found?) -> Found? {
        switch self {
        case .value: return nil
        case .link(let link): return find(link)
        case .list(let elements), .set(let elements):
            for element in elements {
                if let found = element.firstLink(where: find) { return found }
            }
        case .map(let entries):
            for entry in entries {
                if let found = entry.value.firstLink(where: find) { return found }
            }
        }
        return nil
    }

    /// A list's draft as that of a set.
    var asSet: ValueDraft {
        switch self {
        case .value(.list(let values)): .value(.set(values))
        case .list(let elements): .set(elements)
        default: self
        }
    }
}

/// A list of drafts that is one value as long as no link is in it, which takes a third of the memory.
struct ListDraft<Link: Sendable> {
    private var values: [Value] = []
    /// The elements, since the first one with a link.
    private var drafts: [ValueDraft<Link>]?
    private let expected: Int

    init(count: Int) {
        expected = count
        values.reserveCapacity(count)
    }

    var count: Int { drafts?.count ?? values.count }

    mutating func add(_ draft: ValueDraft<Link>) {
        if drafts == nil {
            if let value = draft.complete { return values.append(value) }
            var all: [ValueDraft<Link>] = []
            all.reserveCapacity(expected)
            all += values.lazy.map { .value($0) }
            values = []
            drafts = all
        }
        drafts?.append(draft)
    }

    var draft: ValueDraft<Link> { drafts.map { .list($0) } ?? .value(.list(values)) }
}

/// The same for the entries of a map.
struct MapDraft<Link: Sendable> {
    private var values: [ValueMap.Entry] = []
    /// The entries, since the first one with a link.
    private var drafts: [ValueDraft<Link>.Entry]?
    private let expected: Int

    init(count: Int) {
        expected = count
        values.reserveCapacity(count)
    }

    mutating func add(_ key: String, _ draft: ValueDraft<Link>) {
        if drafts == nil {
            if let value = draft.complete { return values.append(ValueMap.Entry(key: key, value: value)) }
            var all: [ValueDraft<Link>.Entry] = []
            all.reserveCapacity(expected)
            all += values.lazy.map { ValueDraft<Link>.Entry(key: $0.key, value: .value($0.value)) }
            values = []
            drafts = all
        }
        drafts?.append(ValueDraft<Link>.Entry(key: key, value: draft))
    }

    var draft: ValueDraft<Link> { drafts.map { .map($0) } ?? .value(.dictionary(ValueMap(entries: values))) }
}

extension ValueDraft: Equatable where Link: Equatable {}
extension ValueDraft.Entry: Equatable where Link: Equatable {}

/// A link as written in JSON, with its location in the document.
package enum WrittenLink: Hashable, Sendable {
    /// The JSON value of a link property: a key, a `$link` or an object; never null.
    case plain(JSONValue, path: String)
    /// `{"$link": {"class": …, "key": …}}` in a mixed value, where the schema does not determine the class.
    case typed(className: String, key: JSONValue, path: String)
}

/// Paths in a JSON document, such as `$.tags[3]`.
package enum JSONPath {
    /// The step to a member: `.name`, or `["any text"]`.
    package static func member(_ name: String) -> String {
        if PropertyType.isName(name) { return "." + name }
        let writer = JSONWriter(capacity: name.utf8.count + 8)
        writer.string(name)
        return "[\(String(decoding: writer.bytes, as: UTF8.self))]"
    }

    package static func element(_ index: Int) -> String { "[\(index)]" }
}
