import JSONCoding
package import ObjectModel
package import QueryLanguage
import QuerySyntax
package import StoreContract

/// A view bound to a schema: the visible classes, properties and objects, and the permitted changes. Immutable; created
/// once for all requests with equal views.
package final class BoundAccess: Sendable {
    /// The caller's permissions on the objects of one class.
    struct ClassAccess: Sendable {
        /// Matches the objects that are visible through a visible owner, link or property.
        var part = BoundPredicate.constant(false)
        /// Matches the objects that are visible by themselves: of embedded classes those with a visible owner.
        var whole = BoundPredicate.constant(false)
        /// Matches the objects in the list of the class: none of an embedded class that the role does not name.
        var listed = BoundPredicate.constant(false)
        var create: BoundPredicate?
        var update: BoundPredicate?
        var delete: BoundPredicate?
        /// The properties that can be assigned; nil for all visible ones.
        var writable: Set<PropertyID>?
        /// For embedded classes: the visible properties that own their objects.
        var owners: [(origin: ClassID, property: PropertyID)] = []
    }

    /// The complete schema of the store.
    package let schema: Schema
    /// The part of the schema that is visible. It has the same identifiers as `schema`, so that queries bound to it fit
    /// the store.
    package let visibleSchema: Schema
    /// `visibleSchema` plus the write-only properties.
    package let writableSchema: Schema
    /// See `AccessView.fingerprint`.
    let fingerprint: UInt32?
    /// The errors in rules, one sentence each. Such rules allow nothing.
    package let problems: [String]
    let classes: [ClassID: ClassAccess]
    /// The classes some of whose objects may be hidden, which matters for links to them.
    package let restricted: Set<ClassID>
    /// The conditions for the targets of references in mixed values; nil if every object is visible.
    let references: [ClassID: BoundPredicate]?

    init(_ view: AccessView, _ schema: Schema) {
        let role = view.role
        var reading = RuleReading(role: role, claims: view.claims, schema: schema)
        let visible = reading.visibleClasses()
        let visibleSchema = schema.keeping { objectClass in
            guard visible.contains(objectClass.id) else { return nil }
            return role.rule(for: objectClass).readableProperties
        }
        var classes: [ClassID: ClassAccess] = [:]
        for objectClass in schema.classes {
            classes[objectClass.id] = reading.access(to: objectClass, isVisible: visible.contains(objectClass.id))
        }
        for objectClass in visibleSchema.classes {
            for property in objectClass.properties where property.ownsTarget {
                guard let target = property.targetClass else { continue }
                classes[target]?.owners.append((objectClass.id, property.id))
            }
        }
        OwnerConditions(schema, visibleSchema).add(to: &classes, named: { role.classes[$0.name] != nil })

        self.schema = schema
        fingerprint = view.fingerprint
        self.visibleSchema = visibleSchema
        writableSchema = schema.keeping { objectClass in
            guard visible.contains(objectClass.id) else { return nil }
            let rule = role.rule(for: objectClass)
            guard let readable = rule.readableProperties else { return .some(nil) }
            return readable.union(rule.writableProperties ?? [])
        }
        self.classes = classes
        problems = reading.problems
        restricted = Set(classes.lazy.filter { $0.value.part != .constant(true) }.map(\.key))
        let linkable = schema.classes.filter { !$0.isEmbedded }
        references =
            linkable.contains { classes[$0.id]?.part != .constant(true) }
            ? Dictionary(
                uniqueKeysWithValues: linkable.filter { visible.contains($0.id) }.map {
                    ($0.id, classes[$0.id]?.part ?? .constant(false))
                }) : nil
    }

    /// Whether all objects of the class are visible, through any path.
    func isOpen(_ classID: ClassID) -> Bool { classes[classID]?.whole == .constant(true) }

    func access(_ classID: ClassID) -> ClassAccess { classes[classID] ?? ClassAccess() }
}

/// Binds a role's rules to a schema.
private struct RuleReading {
    let role: Role
    let claims: JSONValue
    let schema: Schema
    private(set) var problems: [String] = []

    init(role: Role, claims: JSONValue, schema: Schema) {
        self.role = role
        self.claims = claims
        self.schema = schema
    }

    /// Returns the classes with a rule for reading, and the embedded classes within those that the role does not name.
    func visibleClasses() -> Set<ClassID> {
        var visible: Set<ClassID> = []
        var open: [ClassSchema] = []
        for objectClass in schema.classes where !objectClass.isEmbedded || role.classes[objectClass.name] != nil {
            guard role.rule(for: objectClass).read != nil else { continue }
            visible.insert(objectClass.id)
            open.append(objectClass)
        }
        while let owner = open.popLast() {
            let readable = role.rule(for: owner).readableProperties
            for property in owner.properties where property.ownsTarget && readable?.contains(property.name) != false {
                guard let part = property.targetClass.flatMap({ schema[$0] }), role.classes[part.name] == nil,
                    visible.insert(part.id).inserted
                else { continue }
                open.append(part)
            }
        }
        return visible
    }

    mutating func access(to objectClass: ClassSchema, isVisible: Bool) -> BoundAccess.ClassAccess {
        var access = BoundAccess.ClassAccess()
        let rule = role.rule(for: objectClass)
        let isPart = objectClass.isEmbedded && role.classes[objectClass.name] == nil
        if isVisible {
            access.part = isPart ? .constant(true) : predicate(rule.read, "read", objectClass) ?? .constant(false)
            access.whole = access.part
            access.listed = isPart ? .constant(false) : access.part
        }
        access.create = predicate(rule.create, "create", objectClass)
        access.update = predicate(rule.update, "update", objectClass)
        access.delete = predicate(rule.delete, "delete", objectClass)
        if let writable = isPart ? nil : rule.writableProperties {
            access.writable = Set(writable.compactMap { objectClass[$0]?.id })
        } else if let readable = isPart ? nil : rule.readableProperties {
            access.writable = Set(readable.union([objectClass.primaryKey ?? ""]).compactMap { objectClass[$0]?.id })
        }
        return access
    }

    private mutating func predicate(_ text: String?, _ what: String, _ objectClass: ClassSchema) -> BoundPredicate? {
        guard let text else { return nil }
        do throws(QueryError) {
            return try RuleText(text).bind(objectClass, schema, claims)
        } catch {
            problems.append(role.problem(of: objectClass, what, error))
            return .constant(false)
        }
    }
}

/// Adds the condition that the owner is visible to the rules of embedded classes.
private struct OwnerConditions {
    private let schema: Schema
    private let visible: Schema

    init(_ schema: Schema, _ visible: Schema) {
        self.schema = schema
        self.visible = visible
    }

    func add(to classes: inout [ClassID: BoundAccess.ClassAccess], named: (ClassSchema) -> Bool) {
        let before = classes
        for part in schema.classes where part.isEmbedded && before[part.id]?.part != .constant(false) {
            let owned = condition(on: part.id, before, [])
            classes[part.id]?.whole = Self.both(before[part.id]?.part ?? .constant(false), owned)
            if named(part) {
                classes[part.id]?.listed = Self.both(before[part.id]?.listed ?? .constant(false), owned)
            }
        }
    }

    /// Returns the condition that a visible object owns the object through a visible property. Owners that only lead
    /// back to the class itself do not count.
    private func condition(
        on part: ClassID, _ classes: [ClassID: BoundAccess.ClassAccess], _ path: Set<ClassID>
    ) -> BoundPredicate {
        var owning = 0
        for origin in schema.classes { owning += origin.properties.count { $0.ownsTarget && $0.targetClass == part } }
        let owners = classes[part]?.owners ?? []
        var conditions: [BoundPredicate] = []
        for owner in owners where !path.contains(owner.origin) {
            let isEmbedded = schema[owner.origin]?.isEmbedded == true
            let own = classes[owner.origin]?.part ?? .constant(false)
            let there = isEmbedded ? Self.both(own, condition(on: owner.origin, classes, path.union([part]))) : own
            var links = [LinkStep.backward(origin: owner.origin, property: owner.property)]
            if there != .constant(true) { links.append(.rowSecurity(there, owner.origin)) }
            if there == .constant(false) { continue }
            conditions.append(
                .comparison(BoundComparison(.path(BoundPath(links: links, end: .count)), .greater, .constant(.int(0)))))
        }
        let isOpen =
            owners.count == owning
            && owners.allSatisfy { owner in
                classes[owner.origin]?.part == .constant(true)
                    && (schema[owner.origin]?.isEmbedded == false
                        || condition(on: owner.origin, classes, path.union([part])) == .constant(true))
            }
        if isOpen { return .constant(true) }
        return conditions.isEmpty ? .constant(false) : conditions.count == 1 ? conditions[0] : .or(conditions)
    }

    private static func both(_ a: BoundPredicate, _ b: BoundPredicate) -> BoundPredicate {
        if a == .constant(true) { return b }
        if b == .constant(true) { return a }
        if a == .constant(false) || b == .constant(false) { return .constant(false) }
        return .and([a, b])
    }
}

extension Role {
    /// Returns the rule for a class. Embedded classes that the role does not name are completely visible within their
    /// owners.
    func rule(for objectClass: ClassSchema) -> ClassRule {
        classes[objectClass.name] ?? (objectClass.isEmbedded ? ClassRule() : others)
    }

    fileprivate func problem(of objectClass: ClassSchema, _ what: String, _ error: QueryError) -> String {
        "Role '\(name)': the rule to \(what) '\(objectClass.name)' allows nothing: \(error.message)"
            + (error.hint.map { " Did you mean '\($0)'?" } ?? "")
    }

    /// Returns the role's errors for a schema, as sentences: rules that fit the schema with no claims, and names that
    /// do not exist. Such rules allow nothing until the schema has the classes and properties that they name.
    package func problems(in schema: Schema) -> [String] {
        guard !isAdministrator else { return [] }
        var problems: [String] = []
        func check(_ rule: ClassRule, _ objectClass: ClassSchema, namesProperties: Bool) {
            for (what, text) in [
                ("read", rule.read), ("create", rule.create), ("update", rule.update), ("delete", rule.delete),
            ] {
                guard let text else { continue }
                do throws(QueryError) {
                    _ = try RuleText(text).bind(objectClass, schema)
                } catch {
                    problems.append(problem(of: objectClass, what, error))
                }
            }
            guard namesProperties else { return }
            for property in (rule.readableProperties ?? []).union(rule.writableProperties ?? []).sorted()
            where objectClass[property] == nil {
                problems.append("Role '\(name)': class '\(objectClass.name)' has no property '\(property)'.")
            }
        }
        for (className, rule) in classes.sorted(by: { $0.key < $1.key }) {
            guard let objectClass = schema[className] else {
                problems.append("Role '\(name)': there is no class '\(className)' yet.")
                continue
            }
            check(rule, objectClass, namesProperties: true)
        }
        for objectClass in schema.classes where classes[objectClass.name] == nil && !objectClass.isEmbedded {
            check(others, objectClass, namesProperties: false)
        }
        return problems
    }
}

extension Schema {
    /// Returns the schema with the classes for which `properties` returns an outer value: with all properties if the
    /// inner value is nil, else with the named ones and the primary key. Omits links to omitted classes and inverses of
    /// omitted properties, and also embedded classes that are no longer referenced, which a schema must not contain.
    fileprivate func keeping(_ properties: (ClassSchema) -> Set<String>??) -> Schema {
        var chosenProperties: [ClassID: Set<PropertyID>] = [:]
        for objectClass in classes {
            guard let names = properties(objectClass) else { continue }
            let chosen = objectClass.properties.filter {
                names?.contains($0.name) != false || $0.name == objectClass.primaryKey
            }
            chosenProperties[objectClass.id] = Set(chosen.map(\.id))
        }
        let reached = embeddedClasses(reachedBy: chosenProperties)
        let stored = chosenProperties.filter { self[$0.key]?.isEmbedded != true || reached.contains($0.key) }
        return Schema(
            version: version,
            numberedClasses: classes.compactMap { objectClass in
                guard let chosen = stored[objectClass.id] else { return nil }
                var shown = objectClass
                shown.properties = objectClass.properties.filter { property in
                    guard chosen.contains(property.id) else { return false }
                    guard let target = property.targetClass else { return true }
                    guard let inTarget = stored[target] else { return false }
                    return property.originProperty.map { inTarget.contains($0) } ?? true
                }
                return (shown, objectClass.id, shown.properties.map(\.id), objectClass.nextPropertyID)
            }, nextClassID: nextClassID)
    }

    /// Returns the embedded classes that can be reached from top-level classes through kept properties.
    private func embeddedClasses(reachedBy chosenProperties: [ClassID: Set<PropertyID>]) -> Set<ClassID> {
        var reached: Set<ClassID> = []
        var open = classes.filter { !$0.isEmbedded }
        while let owner = open.popLast() {
            for property in owner.properties where property.ownsTarget {
                guard chosenProperties[owner.id]?.contains(property.id) == true,
                    let part = property.targetClass.flatMap({ self[$0] }), chosenProperties[part.id] != nil,
                    reached.insert(part.id).inserted
                else { continue }
                open.append(part)
            }
        }
        return reached
    }
}

/// Information about visibility for event streams.
extension BoundAccess {
    /// Returns the access by which the context was restricted; nil for an unrestricted context.
    package static func of(_ context: any ReadContext) -> BoundAccess? {
        (context as? any RestrictedContext)?.access
    }

    /// Returns the complete schema of the store at the snapshot's version.
    package static func wholeSchema(of snapshot: any Snapshot) -> Schema { of(snapshot)?.schema ?? snapshot.schema }

    /// Returns the schema that the caller may read. In a transaction, it omits properties that the caller may only
    /// write.
    package static func readableSchema(of context: any ReadContext) -> Schema {
        of(context)?.visibleSchema ?? context.schema
    }

    /// Whether a change of another object can change the visibility of an object of this class.
    package func dependsOnOthers(_ classID: ClassID) -> Bool { access(classID).whole.readsOthers }

    /// Whether the object was visible to the caller at an earlier version.
    package func wasThere(_ object: ObjectReference, in reads: any ObjectReads) throws -> Bool {
        let rule = BoundQuery(classID: object.classID, predicate: access(object.classID).whole)
        return try reads.matches(rule, object.key)
    }

    /// The conditions for the visibility of objects, by class, for all of the store's classes that have visible
    /// objects.
    package var conditions: [ClassID: BoundPredicate] {
        var conditions: [ClassID: BoundPredicate] = [:]
        for objectClass in visibleSchema.classes { conditions[objectClass.id] = access(objectClass.id).whole }
        return conditions
    }

    /// Whether the class can be listed: embedded classes that the role does not name cannot.
    package func isListed(_ classID: ClassID) -> Bool { access(classID).listed != .constant(false) }
}

extension BoundPredicate {
    /// Whether the result depends on more than the object's own properties.
    var readsOthers: Bool {
        containsPart { part in
            switch part {
            case .constants: false
            case .path(let path): path.readsOthers
            case .subquery: true
            case .geoWithin(let search): !search.links.isEmpty
            }
        }
    }
}

extension BoundPath {
    fileprivate var readsOthers: Bool {
        if case .property = end { return !links.isEmpty }
        return true
    }
}
