package import ObjectModel
package import StoreContract

/// A path of properties that narrows what counts as a modification: an element is modified when the path's first
/// property was assigned on it, or a later one on an object that the properties before lead to. A linking-objects
/// property counts as assigned when an object starts or stops linking.
package struct LiveKeyPath: Hashable, Sendable {
    enum Step: Hashable, Sendable {
        /// A stored property that ends the path.
        case value(PropertyID)
        case link(PropertyID, target: ClassID)
        case backlinks(PropertyID, origin: ClassID, link: PropertyID)

        /// The property of the class that the step starts at.
        var property: PropertyID {
            switch self {
            case .value(let property), .link(let property, _), .backlinks(let property, _, _): property
            }
        }
    }

    /// The class that the path starts at.
    package let classID: ClassID
    let steps: [Step]

    /// Reads names joined by dots, such as `owner.city`. Throws `unknownClass`, and `unknownProperty` with the
    /// nearest name as hint.
    package init(_ text: String, in classID: ClassID, of schema: Schema) throws(StoreError) {
        guard var current = schema[classID] else {
            throw StoreError(.unknownClass, "There is no class number \(classID.rawValue).")
        }
        let names = text.split(separator: ".", omittingEmptySubsequences: false)
        var steps: [Step] = []
        for (index, name) in names.enumerated() {
            guard let property = current[String(name)] else {
                throw StoreError(
                    .unknownProperty,
                    "Invalid property name: property '\(name)' not found in object of type '\(current.name)'",
                    property: String(name), hint: current.properties.map(\.name).nearest(to: String(name)))
            }
            let target = property.targetClass.flatMap { schema[$0] }
            if let target, property.type.isComputed, let link = property.originProperty {
                steps.append(.backlinks(property.id, origin: target.id, link: link))
            } else if let target {
                steps.append(.link(property.id, target: target.id))
            } else {
                steps.append(.value(property.id))
            }
            if let target {
                current = target
            } else if index + 1 < names.count {
                throw StoreError(
                    .unknownProperty,
                    "Property '\(current.name).\(name)' is not a link and has no property '\(names[index + 1])'.",
                    property: String(name))
            }
        }
        self.classID = classID
        self.steps = steps
    }

    /// The class that each step starts at.
    var classes: [ClassID] {
        var classes = [classID]
        for step in steps.dropLast() {
            switch step {
            case .value: break
            case .link(_, let target): classes.append(target)
            case .backlinks(_, let origin, _): classes.append(origin)
            }
        }
        return classes
    }

    /// The classes whose changes can matter: where the steps start, and whose objects a last step finds linking.
    var watchedClasses: [ClassID] {
        guard case .backlinks(_, let origin, _) = steps.last else { return classes }
        return classes + [origin]
    }

    var hasBacklinks: Bool {
        steps.contains {
            if case .backlinks = $0 { return true }
            return false
        }
    }

    /// Why the path cannot be followed under this schema; nil when it can.
    func fault(under schema: Schema) -> StoreError? {
        for (classID, step) in zip(classes, steps) {
            guard let objectClass = schema[classID] else {
                return StoreError(.unknownClass, "A class of the observed key path is gone from the schema.")
            }
            guard let property = objectClass[step.property], target(of: step) == property.targetClass else {
                return StoreError(
                    .unknownProperty,
                    "A property of class '\(objectClass.name)' in the observed key path is gone from the schema.")
            }
        }
        return nil
    }

    private func target(of step: Step) -> ClassID? {
        switch step {
        case .value: nil
        case .link(_, let target): target
        case .backlinks(_, let origin, _): origin
        }
    }
}
