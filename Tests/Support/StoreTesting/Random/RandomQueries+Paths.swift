import ObjectModel
import QueryLanguage
import TestBasics

extension RandomQueries {
    /// The kind of a path's values: decides what they can be compared with.
    enum Kind: Equatable {
        case value(BaseType)
        case typeName
        case object(ClassID)
    }

    typealias TypedPath = (path: BoundPath, kind: Kind)

    /// A path to one value that is neither an object nor a collection property.
    func singlePath(from classID: ClassID, _ random: inout SeededRandom) -> TypedPath {
        var links: [LinkStep] = []
        var current = classID
        while random.oneIn(3), links.count < 3, let step = linkStep(from: current, isToMany: false, &random) {
            links.append(step.0)
            current = step.1
        }
        return end(of: links, at: current, isToMany: false, countsElements: false, &random)
    }

    /// A path to the object's own values.
    func ownPath(of classID: ClassID, isToMany: Bool, _ random: inout SeededRandom) -> TypedPath {
        end(of: [], at: classID, isToMany: isToMany, countsElements: isToMany, &random)
    }

    /// Any path that a comparison can use.
    func path(from classID: ClassID, _ random: inout SeededRandom) -> TypedPath {
        var links: [LinkStep] = []
        var current = classID
        while random.oneIn(2), links.count < 3 {
            guard let step = linkStep(from: current, isToMany: random.oneIn(2), &random) else { break }
            links.append(step.0)
            current = step.1
        }
        if !links.isEmpty, random.oneIn(4) { return (BoundPath(links: links, end: .count), .value(.int)) }
        if !links.isEmpty, random.oneIn(4) {
            return (BoundPath(links: links, end: .object(current)), .object(current))
        }
        return end(of: links, at: current, isToMany: true, countsElements: true, &random)
    }

    /// Links that lead to several objects, for subqueries.
    func manyLinks(from classID: ClassID, _ random: inout SeededRandom) -> (links: [LinkStep], target: ClassID)? {
        var links: [LinkStep] = []
        var current = classID
        if random.oneIn(3), let step = linkStep(from: current, isToMany: false, &random) {
            links.append(step.0)
            current = step.1
        }
        guard let step = linkStep(from: current, isToMany: true, &random) else { return nil }
        return (links + [step.0], step.1)
    }

    /// A link of the class: to one object, or to any number.
    func linkStep(
        from classID: ClassID, isToMany: Bool, _ random: inout SeededRandom
    ) -> (LinkStep, ClassID)? {
        var steps: [(LinkStep, ClassID)] = []
        for property in schema[classID]?.properties ?? [] {
            guard let target = property.targetClass else { continue }
            if property.type.isComputed {
                guard isToMany, let origin = property.originProperty else { continue }
                steps.append((.backward(origin: target, property: origin), target))
            } else if property.type.isToOneLink {
                if !isToMany { steps.append((.forward(property.id, target: target), target)) }
            } else if let selector = selector(of: property.type.collection, isToMany: isToMany, &random) {
                steps.append((.elements(property.id, target: target, selector), target))
            }
        }
        // Every link can be followed backwards, declared or not.
        if isToMany, forms == .all, random.oneIn(3) {
            for origin in schema.classes {
                for link in origin.storedProperties where link.type.isLink && link.targetClass == classID {
                    steps.append((.backward(origin: origin.id, property: link.id), origin.id))
                }
            }
        }
        return random.pick(steps)
    }

    private func selector(
        of collection: CollectionKind, isToMany: Bool, _ random: inout SeededRandom
    ) -> ElementSelector? {
        if isToMany { return .all }
        switch collection {
        case .list: return random.oneIn(4) ? .last : .position(random.below(3))
        case .map: return .key(RandomValues.mapKey(&random))
        case .set, .single: return nil
        }
    }

    /// A value of the class that the links lead to.
    private func end(
        of links: [LinkStep], at classID: ClassID, isToMany: Bool, countsElements: Bool, _ random: inout SeededRandom
    ) -> TypedPath {
        let values = (schema[classID]?.storedProperties ?? []).filter { property in
            !property.type.isLink && (isToMany || property.type.collection != .set)
        }
        guard let property = random.pick(values) else {
            return (BoundPath(links: links, end: .count), .value(.int))
        }
        let end = PathEnd.property(property.id, property.type)
        let steps = steps(
            inside: property.type, isToMany: isToMany, countsElements: countsElements, &random)
        let kind: Kind =
            switch steps.last {
            case .size, .length: .value(.int)
            case .keys: .value(.string)
            case .typeName: .typeName
            default: .value(property.type.base)
            }
        return (BoundPath(links: links, end: end, steps: steps), kind)
    }

    private func steps(
        inside type: PropertyType, isToMany: Bool, countsElements: Bool, _ random: inout SeededRandom
    ) -> [ValueStep] {
        guard forms == .all else { return [] }
        var steps: [ValueStep] = []
        if type.isCollection {
            if countsElements, random.oneIn(5) { return [.size] }
            if isToMany, type.collection == .map, random.oneIn(4) { return [.keys] }
            let single = selector(of: type.collection, isToMany: false, &random)
            let selector = isToMany && !random.oneIn(4) ? .all : single ?? .all
            steps.append(.elements(selector))
        }
        if type.isMixed, random.oneIn(2) {
            return steps + mixedSteps(isToMany: isToMany, countsElements: countsElements, &random)
        }
        if type.base == .string || type.base == .data, countsElements, random.oneIn(5) {
            let isLength = steps == [.elements(.all)] && type.collection != .map
            steps.append(isLength && random.oneIn(2) ? .length : .size)
        }
        return steps
    }

    private func mixedSteps(
        isToMany: Bool, countsElements: Bool, _ random: inout SeededRandom
    ) -> [ValueStep] {
        var steps: [ValueStep] = (0..<random.below(3)).map { _ in
            switch random.below(5) {
            case 0, 1: isToMany ? .elements(.all) : .elements(.position(0))
            case 2: .elements(.position(random.below(3)))
            case 3: .elements(.last)
            default: .elements(.key(RandomValues.mapKey(&random)))
            }
        }
        guard countsElements else { return steps }
        switch random.below(6) {
        case 0: steps.append(.size)
        case 1, 2: steps.append(.typeName)
        case 3 where isToMany: steps.append(.keys)
        default: break
        }
        return steps
    }
}
