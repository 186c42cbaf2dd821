package import ObjectModel
import QuerySyntax
package import QueryLanguage

/// A step of a path from an object to a linked object.
package struct PathHop: Hashable, Sendable {
    let holder: ObjectReference
    let property: PropertySchema
    /// The element of a collection property.
    let element: ResolvedPropertyPath.Element?
    /// The steps through lists and maps in a mixed value.
    let inner: [ValueStep]
    let target: ObjectReference

    /// A query that matches the holder while the step leads to the target. For an element of a set and for a linking
    /// object it tests membership, not the position, which has no meaning for them.
    package var query: BoundQuery {
        let itself = BoundPredicate.comparison(
            BoundComparison(
                .path(BoundPath(end: .object(holder.classID))), .equal, .constant(.reference(holder))))
        let leads = BoundPredicate.comparison(
            BoundComparison(.path(path), .equal, .constant(.reference(target))))
        return BoundQuery(classID: holder.classID, predicate: .and([itself, leads]))
    }

    private var path: BoundPath {
        if let origin = property.originProperty {
            return BoundPath(
                links: [.backward(origin: target.classID, property: origin)], end: .object(target.classID))
        }
        if property.type.isLink {
            let link =
                selector.map { LinkStep.elements(property.id, target: target.classID, $0) }
                ?? .forward(property.id, target: target.classID)
            return BoundPath(links: [link], end: .object(target.classID))
        }
        var steps = selector.map { [QueryLanguage.ValueStep.elements($0)] } ?? []
        for step in inner {
            switch step {
            case .index(let index): steps.append(.elements(.position(index)))
            case .key(let key): steps.append(.elements(.key(key)))
            }
        }
        return BoundPath(end: .property(property.id, property.type), steps: steps)
    }

    private var selector: ElementSelector? {
        switch element {
        case nil: nil
        case .position(let index): property.type.collection == .list ? .position(index) : .all
        case .mapKey(let key): .key(key)
        }
    }
}

extension ResolvedPropertyPath {
    /// Returns the object that a value links to; nil for a value that is not a link.
    package func target(of value: Value) -> ObjectReference? {
        switch value {
        case .link(let key): property.targetClass.map { ObjectReference($0, key) }
        case .reference(let object): object
        default: nil
        }
    }

    /// Returns the step from the holder to another.
    package func hop(to target: ObjectReference) -> PathHop {
        PathHop(holder: holder, property: property, element: element, inner: inner, target: target)
    }
}
