// Collections are encoded as arrays, and maps as objects. Decoded collections are unmanaged.

extension RealmCollection where Element: Encodable {
    /// Encodes all elements in order. Throws the errors of the elements and of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for element in self { try container.encode(element) }
    }
}

extension Results: Encodable where Element: Encodable {}
extension List: Encodable where Element: Encodable {}
extension MutableSet: Encodable where Element: Encodable {}
extension LinkingObjects: Encodable where Element: Encodable {}
extension AnyRealmCollection: Encodable where Element: Encodable {}

/// Decodes the elements of an array.
private func decodedElements<Element: Decodable>(_ decoder: any Decoder) throws -> [Element] {
    var container = try decoder.unkeyedContainer()
    var elements: [Element] = []
    while !container.isAtEnd { elements.append(try container.decode(Element.self)) }
    return elements
}

extension List: Decodable where Element: Decodable {
    /// Decodes an array as an unmanaged list.
    public convenience init(from decoder: any Decoder) throws { self.init(unmanaged: try decodedElements(decoder)) }
}

extension MutableSet: Decodable where Element: Decodable {
    /// Decodes an array as an unmanaged set.
    public convenience init(from decoder: any Decoder) throws { self.init(unmanaged: try decodedElements(decoder)) }
}

/// The key of an entry.
private struct EntryKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension Map: Encodable where Value: Encodable {
    /// Encodes the entries in the order of their keys.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: EntryKey.self)
        for (key, value) in asKeyValueSequence() {
            try container.encode(value, forKey: EntryKey(stringValue: key._key))
        }
    }
}

extension Map: Decodable where Value: Decodable {
    /// Decodes an object as an unmanaged map.
    public convenience init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: EntryKey.self)
        self.init(
            unmanaged: try container.allKeys.map {
                (Key(_key: $0.stringValue), try container.decode(Value.self, forKey: $0))
            })
    }
}
