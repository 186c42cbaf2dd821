import JSONCoding
import ObjectCoding
package import ObjectModel
import QueryLanguage
import StoreContract
import WireProtocol

/// One operation of a transaction, checked against the schema as far as possible without the store.
package struct BoundOperation: Sendable {
    /// An object by its key, or one that an earlier operation created.
    indirect enum Subject: Sendable {
        case address(ClassSchema, ObjectAddress)
        case made(String, ClassSchema)
        /// An embedded object at the end of the steps.
        case part(Subject, [Step], ClassSchema)

        var objectClass: ClassSchema {
            switch self {
            case .address(let objectClass, _), .made(_, let objectClass), .part(_, _, let objectClass): objectClass
            }
        }
    }

    /// A step from an object to one that is embedded in it.
    struct Step: Sendable {
        enum Element: Sendable {
            /// A position in a list, with the element that the client expects there.
            case position(Int, was: ObjectInput.Content?)
            case mapKey(String)
        }

        let property: PropertySchema
        /// Nil for a property with a single object.
        let element: Element?
    }

    /// Input that is parsed before the transaction begins, unless it refers to an object that the transaction creates.
    enum Input<T: Sendable>: Sendable {
        case ready(T)
        case waiting(JSONValue)
    }

    /// The arguments of an edit.
    struct Edit: Sendable {
        let name: TransactionOperation.Name
        let subject: Subject
        let property: PropertySchema
        /// The position or map key of the element.
        var element: String?
        var index: Int?
        var target: Int?
        /// The element that the client expects there; for `insert`, the one before it.
        var expected: ObjectInput.Content?
        /// Whether `insert` uses the position if the element before it was removed.
        var isPlacedAnyway = false
        var value: Input<GivenElements>?
    }

    enum Action: Sendable {
        case create(ClassSchema, Input<ObjectInput>, UpdatePolicy, name: String?)
        case set(Subject, Input<ObjectInput>)
        case delete(Subject)
        case edit(Edit)
        case requireObject(Subject, exists: Bool)
        case requireObjects(ClassSchema, BoundQuery, exists: Bool?, count: Int?)
    }

    let action: Action
}

/// The parsed body of `POST /v1/transactions`.
package struct TransactionInput: Sendable {
    /// The state that the store must have.
    package var expected: Mark?
    package var operations: [BoundOperation] = []
}

extension Problem {
    /// Returns the problem for one operation of a transaction; its path starts at the operation.
    func inOperation(_ index: Int) -> Problem {
        var problem = self
        problem.operation = index
        problem.detail = "Operation \(index): \(detail)"
        problem.path = "$.operations[\(index)]" + (path.map { String($0.dropFirst()) } ?? "")
        return problem
    }

    /// Returns the problem for a value that is a member of an object.
    func inMember(_ name: String) -> Problem {
        var problem = self
        problem.path = "$" + JSONPath.member(name) + (path.map { String($0.dropFirst()) } ?? "")
        return problem
    }

    static func transaction(_ detail: String, _ path: String, hint: String? = nil) -> Problem {
        var problem = Problem(.transactionInvalid, detail, hint: hint)
        problem.path = path
        return problem
    }

    init(_ fault: TransactionError) { self = .transaction(fault.detail, fault.path, hint: fault.hint) }
}
