package import JSONCoding

extension JSONValue {
    /// The elements of an array; none of anything else.
    package var elements: [JSONValue] {
        if case .array(let elements) = self { return elements }
        return []
    }

    /// The elements of a member that is an array; none of anything else.
    package func array(_ name: String) -> [JSONValue] { self[name]?.elements ?? [] }

    /// A member that is an integer.
    package func int(_ name: String) -> Int? {
        if case .int(let number)? = self[name] { return Int(number) }
        return nil
    }

    /// A member that is a string.
    package func text(_ name: String) -> String? {
        if case .string(let text)? = self[name] { return text }
        return nil
    }

    /// The text as it is sent.
    package var bytes: [UInt8] {
        let json = JSONWriter(capacity: 256)
        json.value(self)
        return json.bytes
    }
}
