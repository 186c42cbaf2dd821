package import ObjectModel

extension BoundPath {
    /// What one value of the path is, never a collection: an Int for counts, sizes and lengths, a string for
    /// keys and `@type`, mixed for what is inside a mixed value and for an object, which is a reference.
    /// Optional when the value can be null: also where a link on the way can be, or the position or key may not
    /// exist.
    package var valueType: PropertyType {
        let isShort = links.contains { link in
            if case .visible = link { return false }
            return !link.isToMany
        }
        switch end {
        case .count: return PropertyType(.int)
        case .object: return PropertyType(.mixed, isOptional: true)
        case .property(_, let type):
            var base = type.base
            var isOptional = type.acceptsNull || isShort
            for step in steps {
                switch step {
                case .elements(.all), .visible: continue
                case .elements: isOptional = true
                case .keys: (base, isOptional) = (.string, type.isMixed || isShort)
                case .size: (base, isOptional) = (.int, type.isMixed || isShort || isOptional && !type.isCollection)
                case .length: (base, isOptional) = (.int, false)
                case .typeName: (base, isOptional) = (.string, isShort || (steps.first?.isVisibility == true ? steps.count > 2 : steps.count > 1))
                }
            }
            return PropertyType(base, isOptional: isOptional)
        }
    }
}
