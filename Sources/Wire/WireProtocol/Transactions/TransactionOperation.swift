package import JSONCoding
package import StoreContract

/// One operation of `POST /v1/transactions` as sent: not yet checked against a schema.
package enum TransactionOperation: Hashable, Sendable {
    case create(Creation)
    /// Assigns properties. The value is an object with some of them.
    case set(Subject, value: JSONValue)
    case delete(Target)
    case edit(Edit)
    case require(Requirement)

    /// The value of `op`.
    package enum Name: String, CaseIterable, Sendable {
        case create, set, delete, insert, replace, move, remove, append, add, put, clear, require
    }

    /// An object with a primary key, or an object that an earlier operation of the transaction creates.
    package enum Target: Hashable, Sendable {
        case object(className: String, key: JSONValue)
        case made(String)
    }

    /// A step on the path from an object to one that is embedded in it. A property's name comes first; for a list or
    /// map, the position or key of one of its objects follows.
    package enum PathPart: Hashable, Sendable {
        /// The name of a property, or a key of a map.
        case name(String)
        /// A position in a list, with the object that the client expects there.
        case position(Int, was: JSONValue?)
    }

    /// An object, or an object embedded in it at the end of the path.
    package struct Subject: Hashable, Sendable {
        package var object: Target
        /// Empty for the object itself.
        package var path: [PathPart]

        package init(_ object: Target, path: [PathPart] = []) {
            self.object = object
            self.path = path
        }
    }

    package struct Creation: Hashable, Sendable {
        package var className: String
        /// Nil for an object without given properties.
        package var value: JSONValue?
        /// The action if the object exists.
        package var policy: UpdatePolicy
        /// The name by which later operations refer to the object.
        package var name: String?

        package init(className: String, value: JSONValue?, policy: UpdatePolicy, name: String? = nil) {
            self.className = className
            self.value = value
            self.policy = policy
            self.name = name
        }
    }

    /// An edit of a property's collection.
    package struct Edit: Hashable, Sendable {
        package var subject: Subject
        package var property: String
        package var change: Change

        package init(_ subject: Subject, _ property: String, _ change: Change) {
            self.subject = subject
            self.property = property
            self.change = change
        }
    }

    package enum Change: Hashable, Sendable {
        /// Inserts one or more elements into a list. `behind` is the preceding element as the client knows it. If that
        /// element was removed, nothing is inserted, unless `orAtIndex` is true: then the index applies.
        case insert(at: Int, behind: JSONValue?, orAtIndex: Bool, JSONValue)
        case replace(at: Int, was: JSONValue?, JSONValue)
        case move(from: Int, to: Int, was: JSONValue?)
        case removeAt(Int, was: JSONValue?)
        case removeKey(String)
        /// Removes an element of a set.
        case removeValue(JSONValue)
        case append(JSONValue)
        /// Adds an element to a set.
        case add(JSONValue)
        case put(key: String, JSONValue)
        case clear

        package var name: Name {
            switch self {
            case .insert: .insert
            case .replace: .replace
            case .move: .move
            case .removeAt, .removeKey, .removeValue: .remove
            case .append: .append
            case .add: .add
            case .put: .put
            case .clear: .clear
            }
        }
    }

    /// A condition. If it does not hold, the whole transaction fails.
    package enum Requirement: Hashable, Sendable {
        case object(Subject, exists: Bool)
        case objects(className: String, filter: String?, arguments: JSONValue?, exists: Bool?, count: Int?)
    }

    package var name: Name {
        switch self {
        case .create: .create
        case .set: .set
        case .delete: .delete
        case .edit(let edit): edit.change.name
        case .require: .require
        }
    }

    /// The names of the members.
    enum Field {
        static let op = "op"
        static let object = "object"
        static let path = "in"
        static let `class` = "class"
        static let key = "key"
        static let ref = "ref"
        static let value = "value"
        static let update = "update"
        static let name = "as"
        static let property = "property"
        static let index = "index"
        static let was = "was"
        static let behind = "behind"
        static let orAtIndex = "orAtIndex"
        static let to = "to"
        static let mapKey = "mapKey"
        static let filter = "filter"
        static let arguments = "args"
        static let exists = "exists"
        static let count = "count"
    }
}

extension TransactionOperation.Name {
    /// The members that the operation may have besides `op`.
    var members: [String] {
        typealias Field = TransactionOperation.Field
        return switch self {
        case .create: [Field.class, Field.value, Field.update, Field.name]
        case .set: [Field.object, Field.path, Field.value]
        case .delete: [Field.object]
        case .insert:
            [Field.object, Field.path, Field.property, Field.index, Field.behind, Field.orAtIndex, Field.value]
        case .replace: [Field.object, Field.path, Field.property, Field.index, Field.was, Field.value]
        case .move: [Field.object, Field.path, Field.property, Field.index, Field.was, Field.to]
        case .remove:
            [Field.object, Field.path, Field.property, Field.index, Field.was, Field.mapKey, Field.value]
        case .append, .add: [Field.object, Field.path, Field.property, Field.value]
        case .put: [Field.object, Field.path, Field.property, Field.mapKey, Field.value]
        case .clear: [Field.object, Field.path, Field.property]
        case .require:
            [Field.object, Field.class, Field.filter, Field.arguments, Field.exists, Field.count]
        }
    }
}
