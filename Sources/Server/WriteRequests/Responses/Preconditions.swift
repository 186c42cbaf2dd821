import HTTPMessages
import AccessRules
package import HTTPServer
package import JSONCoding
package import ObjectCoding
package import ObjectModel
package import StoreContract

extension WriteResponse {
    /// The response to a write of one object: the object as committed.
    package init(
        _ key: ObjectKey, _ objectClass: ClassSchema, isNew: Bool, _ style: TypeStyle,
        _ transaction: any WriteTransaction
    ) throws {
        let text = ResponseText(capacity: 8)
        text.objects([key], of: objectClass.id, style)
        self.init(status: isNew ? 201 : 200, text, tagged: ObjectReference(objectClass.id, key))
        guard isNew else { return }
        let primaryKey = try objectClass.primaryKeyProperty.map { try transaction.value(objectClass.id, key, $0.id) }
        // A null primary key of type string has no path: `null` in a path is the string.
        if primaryKey != .null || objectClass.primaryKeyProperty?.type.base != .string {
            headers["Location"] = ObjectAddress.path(objectClass, key, primaryKey)
        }
    }
}

extension EntityTag {
    /// The tag of an object: of its row with all stored properties in plain form, and of the state's history. In
    /// another history the same row has another tag.
    package init(row: JSONWriter, of mark: Mark) {
        text = row.withBytes { Fingerprint.text(of: $0, seed: mark.shownTag) }
    }

    /// Computes the tag of an object. Cost: the whole object is written.
    ///
    /// - Parameters:
    ///   - mark: the state that the tag is for. In a transaction, the state before it, or the one that it creates.
    ///   - isPart: whether it is an embedded object that is reached through its owner.
    init(_ object: ObjectReference, _ context: any ReadContext, of mark: Mark, isPart: Bool = false) throws {
        let schema = BoundAccess.readableSchema(of: context)
        guard let objectClass = schema[object.classID] else {
            throw StoreError.unknownClass(object.classID)
        }
        let row = JSONWriter(capacity: 512)
        try RowPlan(objectClass, of: schema, isPart: isPart).write(object.key, of: context, into: row)
        self.init(row: row, of: mark)
    }

    /// The part that identifies the object's own state, without expanded objects.
    var own: EntityTag { EntityTag(String(text.prefix { $0 != "-" })) }
}

/// The conditions of `If-Match` and `If-None-Match` for a write, checked within the transaction.
package struct Preconditions: Sendable {
    private let match: EntityTags?
    private let noneMatch: EntityTags?

    package init(_ request: Request) throws(Problem) {
        match = try EntityTags(request, "If-Match")
        noneMatch = try EntityTags(request, "If-None-Match")
    }

    /// Throws 412 if the object, nil if there is none, does not satisfy the conditions.
    package func check(_ key: ObjectKey?, _ object: AddressedObject, _ transaction: any WriteTransaction) throws {
        guard match != nil || noneMatch != nil else { return }
        guard let key else {
            if match != nil {
                throw Problem(
                    StoreError.Code.preconditionFailed,
                    "If-Match requires that the object exists; it does not.", parameter: "If-Match")
            }
            return
        }
        try check(ObjectReference(object.objectClass.id, key), transaction)
    }

    /// Whether there are no conditions.
    package var isEmpty: Bool { match == nil && noneMatch == nil }

    /// Throws 412 if an existing object does not satisfy the conditions.
    package func check(_ object: ObjectReference, _ transaction: any WriteTransaction) throws {
        let tag = try EntityTag(object, transaction, of: transaction.before)
        try check { $0.own.contains(tag) }
    }

    /// Throws 412 if the contents of a path below an object do not satisfy the conditions. A client may send the tag
    /// of the object that contains the path, or the tag that a read of the path itself returned.
    package func check(_ resolved: ResolvedPropertyPath, _ transaction: any WriteTransaction) throws {
        guard !isEmpty else { return }
        let before = transaction.before
        var objects = [try EntityTag(resolved.owner, transaction, of: before)]
        if !resolved.isCollection, let value = try resolved.value(in: transaction),
            let target = resolved.target(of: value)
        {
            objects.append(try EntityTag(target, transaction, of: before, isPart: resolved.property.ownsTarget))
        }
        try check { $0.contains(EntityTag(before)) || objects.contains(where: $0.own.contains) }
    }

    /// Throws 412 if the store's state does not satisfy the conditions: collections have its mark as their tag.
    package func checkState(_ transaction: any WriteTransaction) throws(Problem) {
        guard !isEmpty else { return }
        try check { $0.contains(EntityTag(transaction.before)) }
    }

    private func check(_ names: (EntityTags) -> Bool) throws(Problem) {
        if let match, !names(match) {
            throw Problem(
                StoreError.Code.preconditionFailed,
                "The object has changed since it was read. Read it again.", parameter: "If-Match")
        }
        if let noneMatch, names(noneMatch) {
            throw Problem(
                StoreError.Code.preconditionFailed,
                "If-None-Match requires that the object does not exist; it does.", parameter: "If-None-Match")
        }
    }
}

extension EntityTags {
    fileprivate var own: EntityTags {
        switch self {
        case .any: .any
        case .some(let tags): .some(tags.map { EntityTag($0).own.text })
        }
    }
}

extension Problem {
    /// Returns the problem for one element of an array in the body.
    package func inElement(_ index: Int) -> Problem {
        var problem = self
        problem.detail = "Element \(index): \(detail)"
        if let path { problem.path = "$[\(index)]" + path.dropFirst() }
        return problem
    }
}
