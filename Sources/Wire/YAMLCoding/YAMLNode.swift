package import JSONCoding

/// A value of a YAML document with its position.
package struct YAMLNode: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        /// Neither an array nor an object.
        case scalar(JSONValue)
        case sequence([YAMLNode])
        case mapping([Entry])
    }

    /// A member of a mapping. Names are unique.
    package struct Entry: Hashable, Sendable {
        package var name: String
        package var position: YAMLPosition
        package var value: YAMLNode
    }

    package var content: Content
    package var position: YAMLPosition

    /// The entry's value; nil for anything but a mapping that has it.
    package subscript(name: String) -> YAMLNode? {
        guard case .mapping(let entries) = content else { return nil }
        return entries.first { $0.name == name }?.value
    }

    /// The value without positions.
    package var json: JSONValue {
        switch content {
        case .scalar(let value): value
        case .sequence(let nodes): .array(nodes.map(\.json))
        case .mapping(let entries):
            .object(JSONObject(entries.map { JSONObject.Member(name: $0.name, value: $0.value.json) }))
        }
    }
}

/// A position in a text, from 1, columns in characters.
package struct YAMLPosition: Hashable, Sendable, CustomStringConvertible {
    package var line: Int
    package var column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    package var description: String { "line \(line), column \(column)" }
}

/// The reason why a YAML document was rejected.
package struct YAMLError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A sentence for a person.
    package var message: String
    package var position: YAMLPosition

    package var description: String { "\(message) (\(position))" }
}
