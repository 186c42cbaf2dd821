package import ObjectModel

/// A value decoded from JSON, whose links are not resolved yet: that takes a store.
package enum ValueDraft: Hashable, Sendable {
    /// A value without links.
    case value(Value)
    /// The JSON value of a link property: a key, a `$link` or an object; never null.
    case link(JSONValue, path: String)
    /// `{"$link": {"class": …, "key": …}}` in a mixed value, where no schema gives the class.
    case reference(className: String, key: JSONValue, path: String)
    case list([ValueDraft])
    case set([ValueDraft])
    case map([Entry])

    package struct Entry: Hashable, Sendable {
        package var key: String
        package var value: ValueDraft

        package init(key: String, value: ValueDraft) {
            self.key = key
            self.value = value
        }
    }

    /// The value, when there is no link in it.
    package var complete: Value? {
        if case .value(let value) = self { return value }
        return nil
    }

    static func list(of elements: [ValueDraft]) -> ValueDraft {
        let values = elements.compactMap(\.complete)
        return values.count == elements.count ? .value(.list(values)) : .list(elements)
    }

    static func set(of elements: [ValueDraft]) -> ValueDraft {
        let values = elements.compactMap(\.complete)
        return values.count == elements.count ? .value(.set(values)) : .set(elements)
    }

    static func map(of entries: [Entry]) -> ValueDraft {
        let pairs = entries.compactMap { entry in entry.value.complete.map { (entry.key, $0) } }
        return pairs.count == entries.count ? .value(.dictionary(ValueMap(pairs))) : .map(entries)
    }
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
