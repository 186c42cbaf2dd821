import Basics
import ObjectCoding
import ObjectModel
import StoreContract

/// Resolves the steps of a property path from object to object.
struct PropertyPathResolver {
    private let context: any ReadContext
    private var holder: ObjectReference
    private var holderClass: ClassSchema
    private var owner: ObjectReference
    private var hops: [PathHop] = []

    init(_ context: any ReadContext, _ object: ObjectReference, _ objectClass: ClassSchema) {
        self.context = context
        holder = object
        holderClass = objectClass
        owner = object
    }

    /// - Parameter steps: at least one.
    consuming func run(_ steps: ArraySlice<String>) throws -> ResolvedPropertyPath {
        var rest = steps
        while true {
            let property = try property(rest.popFirst() ?? "")
            var element: ResolvedPropertyPath.Element?
            if property.type.isCollection || property.type.isComputed, let text = rest.popFirst() {
                let name = "\(holderClass.name).\(property.name)"
                element =
                    property.type.collection == .map
                    ? .mapKey(text) : .position(try ValueStep.position(text, in: name))
            }
            var resolved = resolved(property, element, [])
            guard !rest.isEmpty, !resolved.isCollection else { return resolved }
            guard var value = try resolved.value(in: context) else { throw try resolved.missing(in: context) }
            // Steps through the lists and maps of a mixed value, until the path ends or leads to another object.
            while let text = rest.first, let step = try step(text, into: value, resolved) {
                rest.removeFirst()
                resolved = self.resolved(property, element, resolved.inner + [step])
                guard !rest.isEmpty else { return resolved }
                guard let next = value[step] else { throw try resolved.missing(in: context) }
                value = next
            }
            try enter(value, resolved, before: rest.first ?? "")
        }
    }

    private func resolved(
        _ property: PropertySchema, _ element: ResolvedPropertyPath.Element?, _ inner: [ValueStep]
    ) -> ResolvedPropertyPath {
        ResolvedPropertyPath(
            holder: holder, holderClass: holderClass, property: property, element: element, inner: inner, owner: owner,
            hops: hops)
    }

    private func property(_ name: String) throws(Problem) -> PropertySchema {
        guard let found = holderClass[name] else {
            throw Problem(
                .pathUnknownProperty, "'\(holderClass.name)' has no property '\(name)'.",
                property: name, hint: holderClass.properties.map(\.name).nearest(to: name))
        }
        return found
    }

    /// Nil if the value is neither a list nor a map.
    private func step(_ text: String, into value: Value, _ resolved: ResolvedPropertyPath) throws(Problem) -> ValueStep?
    {
        switch value {
        case .list: .index(try ValueStep.position(text, in: resolved.name))
        case .dictionary: .key(text)
        default: nil
        }
    }

    /// Continues from the object that a value links to.
    private mutating func enter(_ value: Value, _ resolved: ResolvedPropertyPath, before step: String) throws {
        let next: ObjectReference
        switch value {
        case .link(let key):
            guard let target = resolved.property.targetClass else { throw end(resolved, step, "is a single value") }
            next = ObjectReference(target, key)
        case .reference(let reference): next = reference
        case .null: throw end(resolved, step, "is null")
        default: throw end(resolved, step, "is a single value")
        }
        guard let objectClass = context.schema[next.classID] else { throw end(resolved, step, "leads nowhere") }
        hops.append(resolved.hop(to: next))
        holder = next
        holderClass = objectClass
        if !objectClass.isEmbedded { owner = next }
    }

    private func end(_ resolved: ResolvedPropertyPath, _ step: String, _ what: String) -> Problem {
        Problem(
            StoreError.Code.notFound, "'\(resolved.name)' \(what), so there is no '\(step)' in it.",
            property: resolved.property.name)
    }
}
