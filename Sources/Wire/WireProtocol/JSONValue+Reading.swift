package import JSONCoding

extension JSONValue {
    /// The elements of an array; empty for any other value.
    package var elements: [JSONValue] {
        if case .array(let elements) = self { return elements }
        return []
    }

    /// Returns the elements of a member that is an array; empty for any other value.
    package func array(_ name: String) -> [JSONValue] { self[name]?.elements ?? [] }

    /// Returns a member that is an integer; nil for any other value.
    package func int(_ name: String) -> Int? {
        if case .int(let number)? = self[name] { return Int(number) }
        return nil
    }

    /// Returns a member that is a string; nil for any other value.
    package func text(_ name: String) -> String? {
        if case .string(let text)? = self[name] { return text }
        return nil
    }

    /// The JSON text.
    package var bytes: [UInt8] {
        let json = JSONWriter(capacity: 256)
        json.value(self)
        return json.bytes
    }
}
