package import JSONCoding
package import StoreContract

/// One operation of `POST /v1/transactions`, as it is sent: nothing of it has been compared with a schema.
package enum TransactionOperation: Hashable, Sendable {
    case create(Creation)
    /// Assigns properties: the value is an object with some of them.
    case set(Subject, value: JSONValue)
    case delete(Target)
    case edit(Edit)
    case require(Requirement)

    /// What `op` says.
    package enum Name: String, CaseIterable, Sendable {
        case create, set, delete, insert, replace, move, remove, append, add, put, clear, require
    }

    /// An object with a primary key, or one that an earlier operation of the transaction makes.
    package enum Target: Hashable, Sendable {
        case object(className: String, key: JSONValue)
        case made(String)
    }

    /// A part of the way from an object to one that is embedded in it. The name of a property comes first, and behind
    /// that of a list or a map, which of its objects is meant.
    package enum WayPart: Hashable, Sendable {
        /// Of a property, or a key of a map.
        case name(String)
        /// In a list, with what is there as far as the client knows.
        case position(Int, was: JSONValue?)
    }

    /// An object, or one that is embedded in it at the end of the way.
    package struct Subject: Hashable, Sendable {
        package var object: Target
        /// Empty for the object itself.
        package var way: [WayPart]

        package init(_ object: Target, way: [WayPart] = []) {
            self.object = object
            self.way = way
        }
    }

    package struct Creation: Hashable, Sendable {
        package var className: String
        /// Nil for an object of which nothing is given.
        package var value: JSONValue?
        /// What is done when the object exists.
        package var policy: UpdatePolicy
        /// What later operations call it.
        package var name: String?

        package init(className: String, value: JSONValue?, policy: UpdatePolicy, name: String? = nil) {
            self.className = className
            self.value = value
            self.policy = policy
            self.name = name
        }
    }

    /// An edit of what a property holds.
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
        /// Puts an element, or several, into a list. `behind` is the element before it as far as the client knows; when
        /// that is gone, nothing is done, or what the position says if `orAtIndex` is true.
        case insert(at: Int, behind: JSONValue?, orAtIndex: Bool, JSONValue)
        case replace(at: Int, was: JSONValue?, JSONValue)
        case move(from: Int, to: Int, was: JSONValue?)
        case removeAt(Int, was: JSONValue?)
        case removeKey(String)
        /// Of a set.
        case removeValue(JSONValue)
        case append(JSONValue)
        /// To a set.
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

    /// What has to be so, or nothing is done.
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
        static let way = "in"
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
    /// The members that the operation has beside `op`.
    var members: [String] {
        typealias Field = TransactionOperation.Field
        return switch self {
        case .create: [Field.class, Field.value, Field.update, Field.name]
        case .set: [Field.object, Field.way, Field.value]
        case .delete: [Field.object]
        case .insert:
            [Field.object, Field.way, Field.property, Field.index, Field.behind, Field.orAtIndex, Field.value]
        case .replace: [Field.object, Field.way, Field.property, Field.index, Field.was, Field.value]
        case .move: [Field.object, Field.way, Field.property, Field.index, Field.was, Field.to]
        case .remove:
            [Field.object, Field.way, Field.property, Field.index, Field.was, Field.mapKey, Field.value]
        case .append, .add: [Field.object, Field.way, Field.property, Field.value]
        case .put: [Field.object, Field.way, Field.property, Field.mapKey, Field.value]
        case .clear: [Field.object, Field.way, Field.property]
        case .require:
            [Field.object, Field.class, Field.filter, Field.arguments, Field.exists, Field.count]
        }
    }
}
