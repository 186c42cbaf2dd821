import Basics
package import ObjectModel

extension JSONValue {
    /// A value in the form that `JSONWriter.value` writes, for documents that are examined before they are written.
    ///
    /// - Parameters:
    ///   - isMixed: whether the property, or the elements of the collection, are mixed.
    ///   - link: encodes a link or reference.
    package init(_ value: Value, isMixed: Bool = false, link: (Value) throws -> JSONValue) rethrows {
        if isMixed {
            try self.init(mixed: value, link: link)
            return
        }
        switch value {
        case .list(let elements), .set(let elements):
            self = .array(try elements.map { try JSONValue(scalar: $0, .plain, link) })
        case .dictionary(let map):
            self = .object(
                JSONObject(
                    try map.entries.map { .init(name: $0.key, value: try JSONValue(scalar: $0.value, .plain, link)) }))
        default: try self.init(scalar: value, .plain, link)
        }
    }

    private init(mixed value: Value, link: (Value) throws -> JSONValue) rethrows {
        switch value {
        case .float(let value): self = JSONValue(value).wrapped(.float)
        case .double(let value) where !value.isFinite: self = JSONValue(value).wrapped(.double)
        case .list(let elements), .set(let elements):
            self = .array(try elements.map { try JSONValue(mixed: $0, link: link) })
        case .dictionary(let map):
            let looksTyped = map.count == 1 && map.entries[0].key.hasPrefix("$")
            self = .object(
                JSONObject(
                    try map.entries.map { .init(name: $0.key, value: try JSONValue(mixed: $0.value, link: link)) }))
            if looksTyped { self = wrapped(.dictionary) }
        default: try self.init(scalar: value, .typed, link)
        }
    }

    private init(scalar value: Value, _ style: TypeStyle, _ link: (Value) throws -> JSONValue) rethrows {
        func text(_ text: String, _ type: TypeName) -> JSONValue {
            style == .typed ? JSONValue.string(text).wrapped(type) : .string(text)
        }
        switch value {
        case .bool(let value): self = .bool(value)
        case .int(let value): self = .int(value)
        case .float(let value): self = JSONValue(value)
        case .double(let value): self = JSONValue(value)
        case .string(let value): self = .string(value)
        case .date(let value): self = text(value.rfc3339, .date)
        case .objectId(let value): self = text(value.hex, .objectId)
        case .uuid(let value): self = text(value.text, .uuid)
        case .data(let value): self = text(Base64.standard.encode(value), .binary)
        case .decimal(let value): self = text(value.description, .decimal)
        case .link, .reference: self = try link(value)
        // Only a store is given new embedded objects; collections are not scalars.
        case .null, .embedded, .list, .set, .dictionary: self = .null
        }
    }

    /// The value that the text of the number parses to.
    private init(_ value: Double) {
        self = value.isFinite ? .double(value) : Self.nonFinite(isNaN: value.isNaN, isNegative: value < 0)
    }

    /// The same for a Float: the double with the shortest text that parses to this Float.
    private init(_ value: Float) {
        self =
            value.isFinite
            ? .double(Double(value.description) ?? Double(value))
            : Self.nonFinite(isNaN: value.isNaN, isNegative: value < 0)
    }

    private static func nonFinite(isNaN: Bool, isNegative: Bool) -> JSONValue {
        .string(isNaN ? "NaN" : (isNegative ? "-Infinity" : "Infinity"))
    }

    private func wrapped(_ type: TypeName) -> JSONValue {
        .object(JSONObject([.init(name: type.rawValue, value: self)]))
    }

    /// Encodes a link in a mixed value: `{"$link": {"class": "Dog", "key": 7}}`.
    package static func link(class className: String, key: JSONValue) -> JSONValue {
        let content = JSONObject([.init(name: "class", value: .string(className)), .init(name: "key", value: key)])
        return JSONValue.object(content).wrapped(.link)
    }
}
