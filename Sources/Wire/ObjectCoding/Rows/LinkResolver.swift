package import JSONCoding
package import ObjectModel
package import StoreContract

/// Writes links, and reads their targets. A sink cannot throw, so the first error is stored, and `null` is written
/// after it.
///
/// Only here a link is converted to JSON. A link to an object that the reader cannot see is `null`,
/// wherever its value came from.
///
/// Its variables are not checked for overlapping accesses at run time, which took a twentieth of the time of a page.
/// None can overlap: one thread at a time uses it, each access reads or writes a single variable, and none lasts while
/// other code runs, because none is passed `inout` except `known`, whose subscript calls nothing that knows this
/// object.
package final class LinkResolver {
    private let context: any ReadContext
    /// The same state, if rows can be read from it as they are stored; else nil.
    private let snapshot: (any Snapshot)?
    @exclusivity(unchecked) package private(set) var fault: (any Error)?
    /// The number of objects that may still be written in place of links.
    @exclusivity(unchecked) private var remaining = LinkResolver.limit

    /// The primary keys of targets that many objects may link to; nil if few objects are written.
    @exclusivity(unchecked) private var known: PrimaryKeyCache?
    /// Whether the reader's access is restricted.
    private let isRestricted: Bool
    /// Whether links to objects without a primary key are rejected.
    private let needsPrimaryKeys: Bool

    private static let limit = 100_000

    /// The maximum size of a response that cannot be split, which applies also to one object with those in place of its
    /// links.
    private let responseLimit: Int
    /// Counts what is written; nil if no other request waits for the thread.
    private let budget: QueryBudget?
    /// The budget whether or not it counts bytes.
    private let whole: QueryBudget?
    /// The position where the object or the response begins.
    @exclusivity(unchecked) private var start = 0
    @exclusivity(unchecked) package private(set) var beginning: JSONWriter.Mark?
    /// The position up to which output has been counted.
    @exclusivity(unchecked) private var counted = 0

    /// - Parameter responseLimit: the maximum number of bytes of a response that cannot be requested in parts; see
    ///   `limits.answerBytes`.
    package init(
        _ context: any ReadContext, remembers: Bool = false, needsPrimaryKeys: Bool = false, responseLimit: Int = .max
    ) {
        self.context = context
        snapshot = context.storedRows
        isRestricted = context.isPartial
        known = remembers ? PrimaryKeyCache() : nil
        self.needsPrimaryKeys = needsPrimaryKeys
        self.responseLimit = responseLimit
        whole = context.budget
        budget = whole.flatMap { $0.countsBytes ? $0 : nil }
    }

    /// Writes an object. Throws `notFound` if it does not exist.
    package func object(_ key: ObjectKey, _ plan: RowPlan, _ json: JSONWriter) throws {
        guard try context.exists(plan.classID, key) else {
            throw StoreError(.notFound, "The object no longer exists.")
        }
        try write(key, plan, json)
    }

    /// Marks the beginning of an object, or of a response that is one.
    package func begin(_ json: JSONWriter) {
        start = json.count
        counted = json.count
        beginning = json.mark
    }

    /// Records an error if too much has been written since `begin`.
    package func check(_ json: JSONWriter) {
        guard fault == nil else { return }
        if json.count - start > responseLimit { fault = Problem.answerTooLarge(responseLimit) }
        count(json)
    }

    /// Records an error if there is no memory for the output, or nobody waits for it any more.
    package func countMemory(_ json: JSONWriter) {
        guard fault == nil else { return }
        if json.isExhausted { fault = TextMemory.Exhausted() }
        if let whole { do { try whole.checkWanted() } catch { fault = error } }
    }

    /// Counts the output toward the budget, and records an error if there is no memory for it.
    package func count(_ json: JSONWriter) {
        countMemory(json)
        guard let budget, fault == nil else { return }
        do {
            try budget.spend(bytes: max(json.count - counted, 0))
            counted = max(json.count, counted)
        } catch {
            fault = error
        }
    }

    /// Returns whether a large value of this size can be written.
    package func wants(_ size: () throws -> Int) throws -> Bool {
        guard fault == nil else { return false }
        guard let budget else { return true }
        let size = try size()
        do {
            try budget.spend(bytes: size)
            counted += size
            return true
        } catch {
            fault = error
            return false
        }
    }

    /// Writes a stored value with its links.
    package func write(_ value: Value, _ column: RowPlan.Column, _ style: TypeStyle, _ json: JSONWriter) {
        switch (column, value) {
        case (.link(_, let target), .link(let key)): link(key, target, style, json)
        case (.link(_, let target), .list), (.link(_, let target), .set), (.link(_, let target), .dictionary):
            json.value(value, style) { link in
                if case .link(let key) = link { self.link(key, target, style, json) } else { json.null() }
            }
        case (.value(_, isMixed: let isMixed), _): self.value(value, isMixed: isMixed, style, json)
        default: json.value(value, style)
        }
    }

    /// Writes a value without a column; mixed values with their types.
    package func value(_ value: Value, isMixed: Bool, _ style: TypeStyle, _ json: JSONWriter) {
        guard isMixed else { return json.value(value, style) }
        json.mixed(value) { link in
            if case .reference(let target) = link { self.reference(target, style, json) } else { json.null() }
        }
    }

    /// Writes a link's target: as an object, as its primary key, or as a typed link.
    package func link(_ key: ObjectKey, _ target: RowPlan.Target, _ style: TypeStyle, _ json: JSONWriter) {
        // An object's own links count as part of it; target objects in place of them do not.
        if target.expanded != nil, !target.isOwned { check(json) }
        guard fault == nil else { return json.null() }
        do {
            guard try !isRestricted || context.exists(target.classID, key) else { return json.null() }
            if let plan = target.expanded, try context.exists(target.classID, key) {
                if !target.isOwned { remaining -= 1 }
                guard remaining >= 0 else {
                    throw Problem(
                        .parameterExpansionTooLarge,
                        "'expand' would write more than \(Self.limit) objects. Request a smaller page, or expand less.",
                        parameter: "expand")
                }
                try write(key, plan, json)
            } else if let primaryKey = target.primaryKey {
                json.value(try self.primaryKey(target.classID, key, primaryKey), style)
            } else {
                try requirePrimaryKey(target.className)
                json.link(class: target.className, key: key)
            }
        } catch let error as StoreError where error.code == .notFound {
            json.null()
        } catch {
            fault = error
            json.null()
        }
    }

    /// Writes a link in a mixed value with its class and key, in the form that requests accept.
    private func reference(_ target: ObjectReference, _ style: TypeStyle, _ json: JSONWriter) {
        guard fault == nil, let objectClass = context.schema[target.classID] else { return json.null() }
        var key = Value.int(target.key.rawValue)
        do {
            guard try !isRestricted || context.exists(target.classID, target.key) else { return json.null() }
            if let property = objectClass.primaryKeyProperty {
                key = try primaryKey(target.classID, target.key, property.id)
            } else {
                try requirePrimaryKey(objectClass.name)
            }
        } catch let error as StoreError where error.code == .notFound {
            return json.null()
        } catch {
            fault = error
            return json.null()
        }
        json.link(class: objectClass.name) { json.value(key, style) }
    }

    private func requirePrimaryKey(_ className: String) throws(Problem) {
        guard !needsPrimaryKeys else {
            throw Problem(
                StoreError.Code.noPrimaryKey,
                "A mixed value links to an object of \(className), which has no primary key to write. Leave that property out."
            )
        }
    }

    private func write(_ key: ObjectKey, _ plan: RowPlan, _ json: JSONWriter) throws {
        var sink = RowWriter(plan, json, self)
        if let snapshot {
            try snapshot.read(plan.classID, [key], plan.stored, into: &sink)
            return
        }
        sink.beginObject(key)
        for property in plan.stored {
            check(json)
            // It is removed as a whole.
            if fault != nil { break }
            sink.value(try context.value(plan.classID, key, property))
        }
        sink.endObject()
    }

    package func linking(to key: ObjectKey, _ target: RowPlan.Target, _ property: PropertyID) -> [ObjectKey] {
        guard fault == nil else { return [] }
        do {
            return try context.backlinks(to: key, from: target.classID, property)
        } catch {
            fault = error
            return []
        }
    }

    private func primaryKey(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Value {
        guard known != nil else { return try context.value(classID, key, property) }
        let target = ObjectReference(classID, key)
        if let value = known?[target] { return value }
        let value = try context.value(classID, key, property)
        known?[target] = value
        return value
    }
}
