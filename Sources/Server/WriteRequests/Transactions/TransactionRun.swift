import HTTPProblems
import JSONCoding
import ObjectCoding
import ObjectModel
import QueryLanguage
package import StoreContract
import WireProtocol

/// Runs the operations of a transaction one after the other, and writes their results.
package struct TransactionRun {
    let transaction: any WriteTransaction
    private let reader: TransactionReader
    private let includesObjects: Bool
    private let response: ResponseText
    private var json: JSONWriter { response.json }
    /// The created objects by name.
    private var made: [String: ObjectReference] = [:]
    /// Consecutive deletions, which are executed together: the links to all the objects are removed at once, so that a
    /// list of them is searched only once.
    private var deletions: Deletions?

    private struct Deletions {
        let objectClass: ClassSchema
        /// The index of the first of the operations.
        let first: Int
        var keys: [ObjectKey] = []
        var known: Set<ObjectKey> = []
    }

    package init(
        _ transaction: any WriteTransaction, _ reader: TransactionReader, includesObjects: Bool,
        into response: ResponseText
    ) {
        self.transaction = transaction
        self.reader = reader
        self.includesObjects = includesObjects
        self.response = response
    }

    /// Runs all operations. Throws problems that name the operation; rethrows internal errors unchanged.
    package mutating func perform(_ operations: [BoundOperation]) throws {
        for (index, operation) in operations.enumerated() {
            do {
                if case .delete(let subject) = operation.action, !subject.objectClass.isEmbedded {
                    try record(deletionOf: subject, index)
                } else {
                    try deletePending()
                    try perform(operation)
                }
            } catch {
                throw named(error, index)
            }
        }
        try deletePending()
    }

    private func named(_ error: any Error, _ index: Int) -> any Error {
        if let error = error as? StoreError, StatusTable.status(of: error.code) >= 500 { return error }
        guard let problem = error as? Problem ?? (error as? StoreError).map({ Problem($0) }) else { return error }
        return problem.operation == nil ? problem.inOperation(index) : problem
    }

    private mutating func perform(_ operation: BoundOperation) throws {
        switch operation.action {
        case .create(let objectClass, let input, let policy, let name):
            let input = try object(input, objectClass)
            let outcome = try inMember("value") { try ObjectWriter(transaction, policy).put(input) }
            let object = ObjectReference(objectClass.id, outcome.key)
            if let name { made[name] = object }
            try result(of: object, objectClass, isNew: true) {
                $0.name(TransactionAnswer.Field.created); $0.bool(outcome.isNew)
            }
        case .set(let subject, let input):
            guard let object = try meant(subject) else { return write(EditOutcome(modified: 0, count: nil)) }
            let input = try self.object(input, subject.objectClass)
            try inMember("value") { try ObjectWriter(transaction, .modified).assign(input, to: object.key) }
            try result(of: object, subject.objectClass) {
                $0.name(TransactionAnswer.Field.modified); $0.int(1)
            }
        case .delete(let subject):
            let object = try find(subject)
            try result(ofDeleting: object, subject.objectClass)
            try transaction.delete(object.classID, object.key)
        case .edit(let edit): try perform(edit)
        case .requireObject(let subject, let exists): try require(subject, exists)
        case .requireObjects(let objectClass, let query, let exists, let count):
            try require(objectClass, query, exists, count)
        }
    }

    // MARK: Deletions

    private mutating func record(deletionOf subject: BoundOperation.Subject, _ index: Int) throws {
        let objectClass = subject.objectClass
        var found = deletions?.objectClass.id == objectClass.id ? try? find(subject) : nil
        if let object = found, deletions?.known.contains(object.key) == true { found = nil }
        if found == nil { try deletePending() }
        let object = try found ?? find(subject)
        try result(ofDeleting: object, objectClass)
        var pending = deletions.take() ?? Deletions(objectClass: objectClass, first: index)
        pending.keys.append(object.key)
        pending.known.insert(object.key)
        deletions = pending
    }

    private mutating func deletePending() throws {
        guard let pending = deletions.take() else { return }
        let classID = pending.objectClass.id
        do {
            return try transaction.delete(classID, pending.keys)
        } catch let error as StoreError where [.accessDenied, .notFound].contains(error.code) {
            // Nothing was deleted. Deleting them one by one shows which one fails.
            for (offset, key) in pending.keys.enumerated() {
                do {
                    try transaction.delete(classID, key)
                } catch {
                    throw named(error, pending.first + offset)
                }
            }
        } catch {
            throw named(error, pending.first)
        }
    }

    private func result(ofDeleting object: ObjectReference, _ objectClass: ClassSchema) throws {
        json.beginObject()
        try identity(of: object, objectClass, isGiven: true)
        json.name(TransactionAnswer.Field.deleted)
        json.int(1)
        json.endObject()
    }

    // MARK: Edits

    private func perform(_ edit: BoundOperation.Edit) throws {
        guard let object = try meant(edit.subject) else { return write(EditOutcome(modified: 0, count: nil)) }
        guard let edit = try located(edit, object) else {
            let count = try transaction.elementCount(object, edit.property.id)
            return write(EditOutcome(modified: 0, count: count))
        }
        let steps = [edit.property.name] + (edit.element.map { [$0] } ?? [])
        let resolved = try PropertyPathResolver(transaction, object, edit.subject.objectClass).run(steps[...])
        let collection = resolved.collection ?? resolved
        try check(edit.name, try collection.kind(in: transaction), collection)
        let contents = try contents(edit)
        let operation: PropertyEdit
        switch (edit.name, contents.first) {
        case (.insert, _): operation = .insert(contents, at: edit.index)
        case (.append, _): operation = .insert(contents, at: nil)
        case (.add, _): operation = .add(contents)
        case (.move, _): operation = .move(from: edit.index ?? 0, to: edit.target ?? 0)
        case (.replace, let value?), (.put, let value?): operation = .assign(value)
        case (.remove, let value?): operation = .discard(value)
        default: operation = .remove
        }
        write(try PropertyEditor(transaction).perform(operation, at: resolved))
    }

    private func write(_ outcome: EditOutcome) {
        json.beginObject()
        json.name(TransactionAnswer.Field.modified)
        json.int(outcome.modified)
        if let count = outcome.count {
            json.name(TransactionAnswer.Field.count)
            json.int(count)
        }
        json.endObject()
    }

    /// Throws 422 for an operation on another kind of collection.
    private func check(
        _ name: TransactionOperation.Name, _ kind: CollectionKind, _ resolved: ResolvedPropertyPath
    ) throws(Problem) {
        let kinds: [CollectionKind]
        switch name {
        case .insert, .replace, .move, .append: kinds = [.list]
        case .add: kinds = [.set]
        case .put: kinds = [.map]
        default: kinds = [.list, .set, .map]
        }
        guard !resolved.property.type.isComputed else { throw Problem(computed: resolved) }
        guard !kinds.contains(kind) else { return }
        let (what, advice) =
            switch kind {
            case .list: ("a list", "insert, replace, move, remove, append and clear")
            case .set: ("a set", "add, remove and clear")
            case .map: ("a map", "put, remove and clear")
            case .single: ("a single value", "set")
            }
        var problem = Problem(
            StoreError.Code.notACollection,
            "'\(resolved.name)' is \(what), which accepts \(advice), not \(name.rawValue).",
            property: resolved.property.name)
        problem.path = "$.op"
        throw problem
    }

    // MARK: Requirements

    private func require(_ subject: BoundOperation.Subject, _ exists: Bool) throws {
        let found: Bool
        switch subject {
        case .address(let objectClass, let address): found = try address.find(objectClass, in: transaction) != nil
        case .part: found = (try? meant(subject)) != nil
        case .made(let name, _):
            found = try made[name].map { try transaction.exists($0.classID, $0.key) } ?? false
        }
        guard found == exists else {
            throw Problem(
                .transactionRequirementFailed,
                "The object is required \(exists ? "to exist, and does not." : "not to exist, and does.")")
        }
        json.beginObject()
        json.name(TransactionAnswer.Field.exists)
        json.bool(found)
        json.endObject()
    }

    private func require(_ objectClass: ClassSchema, _ query: BoundQuery, _ exists: Bool?, _ count: Int?) throws {
        // Reads no more than is needed for the comparison.
        let limit = count.map { $0 + 1 } ?? 1
        let found = try transaction.select(query, Window(limit: limit)).count
        if let count, found != count {
            let words = found > count ? "more than \(count)" : "\(found)"
            throw Problem(
                .transactionRequirementFailed,
                "\(count) objects of \(objectClass.name) are required to match; \(words) do.")
        }
        if let exists, exists != (found > 0) {
            throw Problem(
                .transactionRequirementFailed,
                "\(exists ? "An object" : "No object") of \(objectClass.name) is required to match; \(exists ? "none" : "one") does."
            )
        }
        json.beginObject()
        if let count {
            json.name(TransactionAnswer.Field.count)
            json.int(count)
        } else {
            json.name(TransactionAnswer.Field.exists)
            json.bool(found > 0)
        }
        json.endObject()
    }

    // MARK: Parts

    private func find(_ subject: BoundOperation.Subject) throws -> ObjectReference {
        switch subject {
        case .address(let objectClass, let address):
            guard let key = try address.find(objectClass, in: transaction) else {
                throw address.notFound(objectClass).inMember("object")
            }
            return ObjectReference(objectClass.id, key)
        case .made(let name, let objectClass):
            guard let object = made[name], try transaction.exists(object.classID, object.key) else {
                throw Problem(
                    StoreError.Code.notFound,
                    "The \(objectClass.name) with the name '\(name)' was deleted by an earlier operation."
                ).inMember("object")
            }
            return object
        case .part:
            guard let object = try meant(subject) else {
                throw Problem(
                    StoreError.Code.notFound, "The embedded object was deleted."
                ).inMember("in")
            }
            return object
        }
    }

    /// Finds the subject; nil for an embedded object that the client identified by its contents, and that was deleted.
    private func meant(_ subject: BoundOperation.Subject) throws -> ObjectReference? {
        guard case .part(let outer, let steps, _) = subject else { return try find(subject) }
        var object = try find(outer)
        for step in steps {
            guard let inner = try embedded(object, step) else { return nil }
            object = inner
        }
        return object
    }

    private func object(
        _ input: BoundOperation.Input<ObjectInput>, _ objectClass: ClassSchema
    ) throws -> ObjectInput {
        switch input {
        case .ready(let input): input
        case .waiting(let json): try reader.object(try resolved(json), objectClass)
        }
    }

    private func contents(_ edit: BoundOperation.Edit) throws -> GivenElements {
        switch edit.value {
        case nil: GivenElements()
        case .ready(let contents): contents
        case .waiting(let json): try reader.elements(try resolved(json), edit)
        }
    }

    /// Returns the value with links in place of references to created objects.
    private func resolved(_ json: JSONValue) throws -> JSONValue {
        try CreatedReference.resolved(json) { name in
            guard let object = made[name], let objectClass = transaction.schema[object.classID] else {
                throw Problem.transaction("'\(name)' has not been created.", "$.value")
            }
            var key = JSONValue.int(object.key.rawValue)
            if let property = objectClass.primaryKeyProperty {
                guard try transaction.exists(object.classID, object.key) else {
                    throw Problem.transaction(
                        "The \(objectClass.name) with the name '\(name)' was deleted by an earlier operation.",
                        "$.value")
                }
                let text = JSONWriter(capacity: 64)
                text.value(try transaction.value(object.classID, object.key, property.id))
                key = try JSONValue.parse(text.bytes)
            }
            return .link(class: objectClass.name, key: key)
        }
    }

    private func inMember<R>(_ name: String, _ work: () throws -> R) throws -> R {
        do {
            return try work()
        } catch let problem as Problem {
            throw problem.inMember(name)
        }
    }

    private func result(
        of object: ObjectReference, _ objectClass: ClassSchema, isNew: Bool = false, _ more: (JSONWriter) -> Void
    ) throws {
        json.beginObject()
        try identity(of: object, objectClass, isGiven: isNew)
        more(json)
        if includesObjects {
            json.name(TransactionAnswer.Field.object)
            response.objects([object.key], of: objectClass.id)
        }
        json.endObject()
    }

    private func identity(of object: ObjectReference, _ objectClass: ClassSchema, isGiven: Bool) throws {
        json.name(TransactionAnswer.Field.class)
        json.string(objectClass.name)
        json.name(TransactionAnswer.Field.key)
        response.key(
            of: object,
            try objectClass.primaryKeyProperty.map { try transaction.value(object.classID, object.key, $0.id) },
            isGiven: isGiven)
    }
}
