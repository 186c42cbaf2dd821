package import JSONCoding
package import ObjectModel

/// The body of a transaction.
package struct TransactionForm: Hashable, Sendable {
    private enum Field {
        static let expected = "ifVersion"
        static let operations = "operations"
    }

    /// The state that the store must have. A mark and no number, because after a restore the same number names another
    /// state.
    package var expected: Mark?
    /// The operations as JSON. Each is decoded on its own, so that an error belongs to one operation.
    package var operations: [JSONValue]

    /// Throws if the body is not a transaction.
    package init(_ body: JSONValue) throws(TransactionError) {
        let members = try TransactionMembers(body, "A transaction", [Field.expected, Field.operations], at: "$")
        expected = try members.mark(Field.expected)
        switch members[Field.operations] {
        case .array(let operations)?: self.operations = operations
        // Plain values, which are not operations: one of them has the error.
        case .long(let values)?:
            operations = []
            operations.reserveCapacity(values.count)
            do {
                try values.forEach { operations.append($0) }
            } catch {
                throw TransactionError("A transaction needs an array of 'operations'.", "$.operations")
            }
        default: throw TransactionError("A transaction needs an array of 'operations'.", "$.operations")
        }
    }

    /// Encodes a transaction with these operations.
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

/// The response to a transaction: the names of its members, and those that a follower reads.
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

    /// The result of one operation.
    package struct Result: Hashable, Sendable {
        /// For `create`: whether the object is new.
        package var created: Bool?
        /// The number of changed objects or elements.
        package var modified: Int

        init(_ json: JSONValue) {
            if case .bool(let created)? = json[Field.created] { self.created = created }
            modified = json.int(Field.modified) ?? 0
        }
    }

    /// The version of the commit.
    package var version: Version
    package var results: [Result]

    /// Returns nil for JSON that no gateway sends.
    package init?(_ json: JSONValue) {
        guard let version = json.int(Field.version), version >= 0 else { return nil }
        self.version = Version(UInt64(version))
        results = json.array(Field.results).map { Result($0) }
    }
}
