import Basics
import JSONCoding
import LiveStreams
import ObjectCoding
import ObjectModel
import QueryLanguage
import RequestHandling
import RequestParameters
import StoreContract

/// A key-value coding path: the names of properties, joined by dots. Each to-many property on the path adds a level of
/// nested arrays to the result.
struct KeyValuePath: Sendable {
    private enum Step: Sendable {
        /// At most one object.
        case link(PropertyID)
        /// The objects of a list, set or map.
        case links(PropertyID)
        case linking(origin: ClassID, PropertyID)
    }

    private enum End: Sendable {
        /// The object itself.
        case object
        /// A stored property.
        case property(PropertyID)
        /// The objects that link here.
        case linking(origin: ClassID, PropertyID)
    }

    /// The links on the path, each from the preceding class.
    private var steps: [Step] = []
    /// The class of the first object, and the class after each step.
    private var classes: [ClassID]
    private var end = End.object
    /// How the objects of the last class, or the property, are written.
    private var plan: RowPlan
    private var target: RowPlan.Target
    /// Whether the path gives one value per object.
    private(set) var isSingle = true
    /// The identifiers, names and types of what is read and written.
    private let form: String

    /// The maximum number of steps, the same as in `expand`.
    private static let depthLimit = 8

    /// Throws 400 for names that the classes do not have.
    ///
    /// - Parameter isOwned: whether the objects are embedded ones reached through their owner.
    init(
        _ text: String, _ objectClass: ClassSchema, _ schema: Schema, style: TypeStyle, isOwned: Bool, parameter: String
    ) throws(Problem) {
        let names = text.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
        guard names.count <= Self.depthLimit else {
            throw Problem(
                .parameterInvalid, "'\(parameter)' goes at most \(Self.depthLimit) names deep.",
                parameter: parameter)
        }
        var present = objectClass
        classes = [objectClass.id]
        plan = RowPlan(objectClass, of: schema, properties: [], style: style)
        for (index, name) in names.enumerated() {
            // It has no effect at any position.
            if name == "self" { continue }
            guard !name.hasPrefix("@") else {
                throw Problem(
                    .parameterInvalid,
                    "An operation such as '\(name)' must be at the beginning of 'keyPath': @max.age. Aggregates with longer paths are at /v1/aggregates.",
                    parameter: parameter)
            }
            let property = try present.named(name, parameter: parameter)
            let isLast = names[(index + 1)...].allSatisfy { $0 == "self" }
            let next = property.targetClass.flatMap { schema[$0] }
            if property.type.isCollection || property.type.isComputed { isSingle = false }
            if isLast {
                plan = RowPlan(present, of: schema, properties: [property], style: style)
                if let origin = property.originProperty, let next {
                    end = .linking(origin: next.id, origin)
                    present = next
                } else {
                    end = .property(property.id)
                }
                break
            }
            guard let next else {
                throw Problem(
                    .parameterInvalid,
                    "'\(present.name).\(name)' contains plain values, which have no '\(names[index + 1])'.",
                    parameter: parameter, property: name)
            }
            if let origin = property.originProperty {
                steps.append(.linking(origin: next.id, origin))
            } else {
                steps.append(property.type.isCollection ? .links(property.id) : .link(property.id))
            }
            present = next
            classes.append(next.id)
        }
        target = RowPlan.Target(
            present, isOwned: present.isEmbedded,
            expanded: present.isEmbedded
                ? RowPlan(present, of: schema, style: style, isPart: isOwned && present.id == objectClass.id) : nil)
        form =
            "\(steps) \(classes) \(end) \(plan.form(schema)) \(target.className) \(target.primaryKey.map(\.rawValue) ?? 0) "
            + (target.expanded?.form(schema) ?? "") + " \(plan.style)"
    }

    /// Writes the values of one object.
    func write(_ key: ObjectKey, _ look: LinkResolver, _ reads: any ObjectReads, _ json: JSONWriter) throws {
        try write(key, steps[...], look, reads, json)
    }

    private func write(
        _ key: ObjectKey, _ rest: ArraySlice<Step>, _ look: LinkResolver, _ reads: any ObjectReads, _ json: JSONWriter
    ) throws {
        let classID = classes[steps.count - rest.count]
        guard let step = rest.first else { return try writeEnd(key, classID, look, reads, json) }
        let deeper = rest.dropFirst()
        let keys: [ObjectKey?]
        switch step {
        case .link(let property):
            guard case .link(let next) = try reads.value(classID, key, property) else { return json.null() }
            return try write(next, deeper, look, reads, json)
        case .links(let property):
            let count = try reads.elementCount(classID, key, property)
            keys = try reads.elements(classID, key, property, 0..<count).map { element in
                if case .link(let key) = element { return key }
                return nil
            }
        case .linking(let origin, let property): keys = try reads.backlinks(to: key, from: origin, property)
        }
        json.beginArray()
        for key in keys {
            if let key { try write(key, deeper, look, reads, json) } else { json.null() }
            look.check(json)
            if look.fault != nil { break }
        }
        json.endArray()
    }

    private func writeEnd(
        _ key: ObjectKey, _ classID: ClassID, _ look: LinkResolver, _ reads: any ObjectReads, _ json: JSONWriter
    ) throws {
        switch end {
        case .object: look.link(key, target, plan.style, json)
        case .property(let property):
            guard let column = plan.columns.first else { return json.null() }
            look.write(try reads.value(classID, key, property), column, plan.style, json)
        case .linking(let origin, let property):
            json.beginArray()
            for key in try reads.backlinks(to: key, from: origin, property) {
                look.link(key, target, plan.style, json)
            }
            json.endArray()
        }
    }
}

/// Equal paths give and write the same at every version of their schema.
extension KeyValuePath: Hashable {
    static func == (a: KeyValuePath, b: KeyValuePath) -> Bool { a.form == b.form }
    func hash(into hasher: inout Hasher) { hasher.combine(form) }
}

/// The operator of a key-value coding path: `@max.age`.
enum KeyValueOperation: Hashable, Sendable {
    case count
    case aggregate(AggregateRequest.Function)
    /// The values of all objects, without nulls.
    case union(distinct: Bool)
    /// The elements of a collection property of all objects, concatenated.
    case arrays(distinct: Bool)

    private static let names: [String: KeyValueOperation] = [
        "@count": .count, "@min": .aggregate(.minimum), "@max": .aggregate(.maximum), "@sum": .aggregate(.sum),
        "@avg": .aggregate(.average), "@unionOfObjects": .union(distinct: false),
        "@distinctUnionOfObjects": .union(distinct: true), "@unionOfArrays": .arrays(distinct: false),
        "@distinctUnionOfArrays": .arrays(distinct: true),
    ]

    /// Splits a key path into its operator, if it has one, and the rest. Throws 400 for unknown operators, and for
    /// those without a path.
    static func split(_ text: String) throws(Problem) -> (operation: KeyValueOperation?, path: String) {
        guard text.hasPrefix("@") else { return (nil, text) }
        let name = String(text.prefix { $0 != "." })
        let path = String(text.dropFirst(name.count).dropFirst())
        guard let operation = names[name] else {
            throw Problem(
                .parameterInvalid,
                "There is no operation '\(name)'. Use one of \(names.keys.sorted().joined(separator: ", ")).",
                parameter: "keyPath", hint: Array(names.keys).nearest(to: name))
        }
        guard operation == .count ? text == name : !path.isEmpty else {
            throw Problem(
                .parameterInvalid,
                operation == .count
                    ? "'@count' must not be followed by a property."
                    : "'\(name)' must be followed by the name of a property: \(name).age.",
                parameter: "keyPath")
        }
        return (operation, path)
    }
}
