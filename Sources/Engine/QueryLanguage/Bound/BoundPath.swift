package import ObjectModel

/// A path from an object of the query's class along links to values.
///
/// A path that is not to-many has exactly one value, which is null where a link on the path is null, a position does
/// not exist or a mixed value has another shape. A to-many path has the values that exist; only an absent key of a map
/// property is a null among them.
package struct BoundPath: Hashable, Sendable {
    package var links: [LinkStep]
    package var end: PathEnd
    /// The steps inside the value at the end.
    package var steps: [ValueStep]

    package init(links: [LinkStep] = [], end: PathEnd, steps: [ValueStep] = []) {
        self.links = links
        self.end = end
        self.steps = steps
    }

    /// Whether the path can give several values, or none, for one object.
    package var isToMany: Bool {
        if case .count = end { return false }
        return links.contains(where: \.isToMany) || steps.contains(where: \.isToMany)
    }

    /// Whether the values can have any type.
    package var givesMixed: Bool {
        guard case .property(_, let type) = end, type.isMixed else { return false }
        return switch steps.last {
        case .size, .length, .typeName, .keys: false
        case .elements, .rowSecurity, nil: true
        }
    }
}

package enum LinkStep: Hashable, Sendable {
    /// Along a to-one link of the current class to an object of `target`.
    case forward(PropertyID, target: ClassID)
    /// Along links in a list, set or map of the current class: all, or one.
    case elements(PropertyID, target: ClassID, ElementSelector)
    /// To every object of `origin` whose `property`, of links or mixed, links to the current object, ascending by key,
    /// each as often as it does.
    case backward(origin: ClassID, property: PropertyID)
    /// Stays at the objects, of the class given, of the step before, as if those that do not satisfy the predicate did
    /// not exist: a link to one is null, and positions in a list count only the others.
    case rowSecurity(BoundPredicate, ClassID)

    package var isToMany: Bool {
        switch self {
        case .forward, .rowSecurity: false
        case .elements(_, _, let selector): selector == .all
        case .backward: true
        }
    }
}

/// The selected elements of a collection.
package enum ElementSelector: Hashable, Sendable {
    /// `[*]`: a list's in order, a set's ascending, a map's values in the order of its keys.
    case all
    /// Of lists: `[0]`, `[FIRST]`.
    case position(Int)
    /// Of lists: `[LAST]`.
    case last
    /// Of maps: `['ash']`.
    case key(String)

    /// Keys are compared by their bytes, as in maps, not by canonical equivalence.
    package static func == (a: ElementSelector, b: ElementSelector) -> Bool {
        switch (a, b) {
        case (.all, .all), (.last, .last): true
        case (.position(let a), .position(let b)): a == b
        case (.key(let a), .key(let b)): a.utf8.elementsEqual(b.utf8)
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .all: hasher.combine(0)
        case .last: hasher.combine(1)
        case .position(let index): hasher.combine(index)
        case .key(let key): for byte in key.utf8 { hasher.combine(byte) }
        }
    }
}

package enum PathEnd: Hashable, Sendable {
    /// A stored value of the class that the links lead to. A link property only for the keys and the size of a map. For
    /// a collection, the steps after it begin with one of `elements`, `keys` and `size`.
    case property(PropertyID, PropertyType)
    /// The object itself that the links lead to: the meaning of a path that ends in links. Its values are references,
    /// and null for a path that is not to-many.
    case object(ClassID)
    /// The number of objects that the links lead to, as an Int: `.@count`.
    case count
}

/// One step inside a value: a collection property, or a mixed value of any shape.
package enum ValueStep: Hashable, Sendable {
    case elements(ElementSelector)
    /// The value as if invisible objects did not exist: a reference to one is null, and left out of a list or set.
    /// Comes first.
    case rowSecurity(RowSecurityPredicates)
    /// `@keys` of a map, ascending by bytes.
    case keys
    /// `@count`, `@size`: the number of elements of a collection, of bytes of a string or data; null for null and for
    /// values without a size.
    case size
    /// `length`: `size` of each element of a list or set of strings or data, 0 for null.
    case length
    /// `@type`: a string: `null`, `bool`, `int`, `float`, `double`, `decimal`, `string`, `data`, `date`, `objectid`,
    /// `uuid`, `link`, `list`, `dictionary`.
    case typeName

    package var isToMany: Bool {
        switch self {
        case .elements(.all), .keys: true
        default: false
        }
    }

    var isRowSecurity: Bool {
        if case .rowSecurity = self { return true }
        return false
    }
}

/// The conditions under which objects that values refer to are visible.
package struct RowSecurityPredicates: Hashable, Sendable {
    /// The condition by class; objects of other classes are invisible.
    package var predicates: [ClassID: BoundPredicate]

    /// Whether a collection lacks the elements that refer to invisible objects; otherwise those are null. Sets always
    /// lack them.
    package var leavesElementsOut: Bool

    package init(_ predicates: [ClassID: BoundPredicate], leavesElementsOut: Bool) {
        self.predicates = predicates
        self.leavesElementsOut = leavesElementsOut
    }
}

extension BoundPath {
    /// The type of one value of the path, never a collection: an Int for counts, sizes and lengths, a string for keys
    /// and `@type`, mixed for a part of a mixed value and for an object, which is a reference. Optional when the value
    /// can be null: also where a link on the path can be, or the position or key may not exist.
    package var valueType: PropertyType {
        let isShort = links.contains { link in
            if case .rowSecurity = link { return false }
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
                case .elements(.all), .rowSecurity: continue
                case .elements: isOptional = true
                case .keys: (base, isOptional) = (.string, type.isMixed || isShort)
                case .size: (base, isOptional) = (.int, type.isMixed || isShort || isOptional && !type.isCollection)
                case .length: (base, isOptional) = (.int, false)
                case .typeName:
                    (base, isOptional) = (
                        .string, isShort || (steps.first?.isRowSecurity == true ? steps.count > 2 : steps.count > 1)
                    )
                }
            }
            return PropertyType(base, isOptional: isOptional)
        }
    }
}
