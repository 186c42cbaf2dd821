package import JSONCoding
package import ObjectModel

/// What a client says the store is at.
package enum ExpectedState: Hashable, Sendable {
    /// As a body says it, of whichever history.
    case version(Version)
    case mark(Mark)
}

/// The body of a transaction.
package struct TransactionForm: Hashable, Sendable {
    private enum Field {
        static let expected = "ifVersion"
        static let operations = "operations"
    }

    /// The state that the store must be at.
    package var expected: ExpectedState?
    /// As they were written; each is read by itself, so that a fault is that of one.
    package var operations: [JSONValue]

    /// Throws for what is no transaction.
    package init(_ body: JSONValue) throws(TransactionFault) {
        let members = try TransactionMembers(body, "A transaction", [Field.expected, Field.operations], at: "$")
        expected = try members.state(Field.expected)
        guard case .array(let operations)? = members[Field.operations] else {
            throw TransactionFault("A transaction has a list of 'operations'.", "$.operations")
        }
        self.operations = operations
    }

    /// The text of a transaction of these operations.
    package static func bytes(_ operations: some Sequence<TransactionOperation>) -> [UInt8] {
        let json = JSONWriter(capacity: 1024)
        json.beginObject()
        json.name(Field.operations)
        json.beginArray()
        for operation in operations { json.value(operation.json) }
        json.endArray()
        json.endObject()
        return json.bytes
    }
}

/// The names of the members of a transaction's answer, and what a follower reads of it.
package struct TransactionAnswer: Hashable, Sendable {
    package enum Field {
        package static let version = "version"
        package static let results = "results"
        package static let `class` = "class"
        package static let key = "key"
        package static let created = "created"
        package static let modified = "modified"
        package static let deleted = "deleted"
        package static let count = "count"
        package static let exists = "exists"
        package static let object = "object"
    }

    /// What became of one operation.
    package struct Result: Hashable, Sendable {
        /// Of `create`: whether the object is new.
        package var created: Bool?
        /// How many objects or elements were changed.
        package var modified: Int

        init(_ json: JSONValue) {
            if case .bool(let created)? = json[Field.created] { self.created = created }
            modified = json.int(Field.modified) ?? 0
        }
    }

    /// That of the commit.
    package var version: Version
    package var results: [Result]

    /// Nil for what no gateway answers.
    package init?(_ json: JSONValue) {
        guard let version = json.int(Field.version), version >= 0 else { return nil }
        self.version = Version(UInt64(version))
        results = json.array(Field.results).map { Result($0) }
    }
}
