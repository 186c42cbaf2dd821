/// One thing that is wrong with a schema document.
package struct SchemaFault: Hashable, Sendable, CustomStringConvertible {
    /// Where, as a JSON path: `$.classes[0].properties[2].type`.
    package var path: String
    /// A sentence for a person.
    package var message: String
    /// The nearest name that exists, where a name did not.
    package var hint: String?

    package init(path: String, message: String, hint: String? = nil) {
        self.path = path
        self.message = message
        self.hint = hint
    }

    package var description: String {
        "\(path): \(message)" + (hint.map { " Did you mean '\($0)'?" } ?? "")
    }
}

/// Everything that is wrong with a schema document; never empty.
package struct SchemaFaults: Error, Hashable, Sendable, CustomStringConvertible {
    package var faults: [SchemaFault]

    package init(_ faults: [SchemaFault]) { self.faults = faults }

    package var description: String { faults.map(\.description).joined(separator: "\n") }
}
