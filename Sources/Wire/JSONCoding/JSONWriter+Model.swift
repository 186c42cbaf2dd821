import Basics
package import ObjectModel

/// The format of values without a JSON form of their own.
package enum TypeStyle: String, Hashable, Sendable, CaseIterable {
    /// As strings; the schema gives their type.
    case plain
    /// As `{"$date": …}`, `{"$oid": …}`, `{"$uuid": …}`, `{"$decimal": …}`, `{"$binary": …}`, and numbers that are not
    /// finite as `{"$double": …}`.
    case typed
}

extension JSONWriter {
    package func double(_ value: Double, _ style: TypeStyle) {
        if style == .typed, !value.isFinite { wrap(.double) { double(value) } } else { double(value) }
    }

    /// A NaN or an infinity of a property's float reads like that of a double: only mixed values tell them apart.
    package func float(_ value: Float, _ style: TypeStyle) {
        if style == .typed, !value.isFinite { wrap(.double) { float(value) } } else { float(value) }
    }

    /// RFC 3339 in UTC with as many digits of fraction as are needed.
    package func date(_ value: Timestamp, _ style: TypeStyle = .plain) {
        if style == .typed { wrap(.date) { date(value) } } else { date(value) }
    }

    package func objectId(_ value: ObjectId, _ style: TypeStyle = .plain) {
        if style == .typed { wrap(.objectId) { plainString(value.hex) } } else { plainString(value.hex) }
    }

    package func uuid(_ value: UUIDValue, _ style: TypeStyle = .plain) {
        if style == .typed { wrap(.uuid) { plainString(value.text) } } else { plainString(value.text) }
    }

    /// Base64.
    package func data(_ bytes: UnsafeBufferPointer<UInt8>, _ style: TypeStyle = .plain) {
        if style == .typed { wrap(.binary) { base64(bytes) } } else { base64(bytes) }
    }

    /// A string, because most JSON parsers would read a number as a double.
    package func decimal(_ value: Decimal128, _ style: TypeStyle = .plain) {
        if style == .typed { wrap(.decimal) { plainString(value.description) } } else { plainString(value.description) }
    }

    /// Writes a value whose type the schema gives: collections as arrays and objects, their elements in the style.
    ///
    /// - Parameters:
    ///   - isMixed: whether the property, or the elements of the collection, are mixed: see `mixed`.
    ///   - link: writes a link or reference; without it, those are written by their numbers in the store.
    package func value(
        _ value: Value, _ style: TypeStyle = .plain, isMixed: Bool = false, link: ((Value) -> Void)? = nil
    ) {
        if isMixed { return mixed(value, link: link) }
        switch value {
        case .list(let elements), .set(let elements):
            beginArray()
            for element in elements { scalar(element, style, link) }
            endArray()
        case .dictionary(let map):
            beginObject()
            for entry in map.entries {
                name(entry.key)
                scalar(entry.value, style, link)
            }
            endObject()
        default: scalar(value, style, link)
        }
    }

    /// Writes a mixed value so that `ValueCoding.mixed` decodes it without a schema: typed objects for all types
    /// without a JSON form.
    package func mixed(_ value: Value, link: ((Value) -> Void)? = nil) {
        switch value {
        case .float(let value): wrap(.float) { float(value) }
        case .double(let value) where !value.isFinite: wrap(.double) { double(value) }
        case .list(let elements), .set(let elements):
            beginArray()
            for element in elements { mixed(element, link: link) }
            endArray()
        case .dictionary(let map):
            let looksTyped = map.count == 1 && map.entries[0].key.hasPrefix("$")
            if looksTyped { wrap(.dictionary) { dictionary(map, link) } } else { dictionary(map, link) }
        default: scalar(value, .typed, link)
        }
    }

    private func dictionary(_ map: ValueMap, _ link: ((Value) -> Void)?) {
        beginObject()
        for entry in map.entries {
            name(entry.key)
            mixed(entry.value, link: link)
        }
        endObject()
    }

    private func scalar(_ value: Value, _ style: TypeStyle, _ link: ((Value) -> Void)?) {
        switch value {
        case .bool(let value): bool(value)
        case .int(let value): int(value)
        case .float(let value): float(value, style)
        case .double(let value): double(value, style)
        case .string(let value): string(value)
        case .date(let value): date(value, style)
        case .objectId(let value): objectId(value, style)
        case .uuid(let value): uuid(value, style)
        case .data(let value): value.withUnsafeBufferPointer { data($0, style) }
        case .decimal(let value): decimal(value, style)
        case .link(let key): if let link { link(value) } else { int(key.rawValue) }
        case .reference(let target): if let link { link(value) } else { self.link(target) }
        // A new embedded object is an input to a store only; collections are not scalars.
        case .null, .embedded, .list, .set, .dictionary: null()
        }
    }

    /// `{"$link": {"class": "Dog", "key": 7}}`, with the object key or what `key` writes.
    package func link(class className: String, key: ObjectKey) {
        link(class: className) { int(key.rawValue) }
    }

    package func link(class className: String, key: () -> Void) {
        wrap(.link) {
            beginObject()
            name("class")
            string(className)
            name("key")
            key()
            endObject()
        }
    }

    /// A link by its class's number, where the class name is unknown.
    private func link(_ target: ObjectReference) {
        wrap(.link) {
            beginObject()
            name("class")
            int(target.classID.rawValue)
            name("key")
            int(target.key.rawValue)
            endObject()
        }
    }

    private func base64(_ bytes: UnsafeBufferPointer<UInt8>) {
        comma()
        put(UInt8(ascii: "\""))
        let length = Base64.standard.length(of: bytes.count)
        append(length) { Base64.standard.encode(bytes, into: $0) }
        put(UInt8(ascii: "\""))
        didWriteValue()
    }

    private func wrap(_ type: TypeName, _ content: () -> Void) {
        beginObject()
        name(type.rawValue)
        content()
        endObject()
    }

    private func date(_ value: Timestamp) {
        comma()
        reserve(Timestamp.usualLength + 2)
        put(UInt8(ascii: "\""))
        if !append(atMost: Timestamp.usualLength, value.write(rfc3339:)) {
            var text = value.rfc3339
            text.withUTF8(put)
        }
        put(UInt8(ascii: "\""))
        didWriteValue()
    }
}
