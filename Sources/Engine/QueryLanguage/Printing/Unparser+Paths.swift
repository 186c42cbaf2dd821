import QuerySyntax
import ObjectModel

extension Unparser {
    func path(_ bound: BoundPath) -> ParsedPath? {
        guard let (names, target) = links(bound.links) else { return nil }
        var components = names
        switch bound.end {
        case .count:
            guard !countsMapObjects(bound.links) else { return nil }
            components.append(.atName("count"))
        case .object:
            if components.isEmpty {
                guard let variable else { return nil }
                components.append(.name(variable))
            }
        case .property(let id, let type):
            guard let name = target[id]?.name, let steps = self.steps(bound.steps, type) else { return nil }
            components.append(.name(name))
            components += steps
        }
        return ParsedPath(components)
    }

    /// Whether the path counts the objects in one map, which the language cannot express: `@count` of a map counts its
    /// null links too.
    private func countsMapObjects(_ links: [LinkStep]) -> Bool {
        guard case .elements(let property, _, .all)? = links.last, !links.dropLast().contains(where: \.isToMany),
            let (_, holder) = self.links(links.dropLast())
        else { return false }
        return holder[property]?.type.collection == .map
    }

    func aggregate(_ bound: BoundAggregate) -> ParsedPath? {
        let function = ParsedPath.Component.atName(bound.function.pathName)
        guard bound.path.steps.isEmpty else {
            return path(bound.path).map { ParsedPath($0.components + [function]) }
        }
        guard let (components, target) = links(bound.path.links), case .property(let id, _) = bound.path.end,
            let name = target[id]?.name
        else { return nil }
        return ParsedPath(components + [function, .name(name)])
    }

    /// The names along links, and the class that they lead to.
    func links(_ links: some Collection<LinkStep>) -> (components: [ParsedPath.Component], target: ClassSchema)? {
        var current = root
        var components: [ParsedPath.Component] = []
        for link in links {
            let next: ClassID
            switch link {
            case .forward(let property, let target):
                guard let name = current[property]?.name else { return nil }
                components.append(.name(name))
                next = target
            case .elements(let property, let target, let selector):
                guard let name = current[property]?.name else { return nil }
                components.append(.name(name))
                if let index = index(selector) { components.append(.index(index)) }
                next = target
            case .backward(let origin, let property):
                guard let originClass = schema[origin], let name = originClass[property]?.name else { return nil }
                components += [.atName("links"), .name(originClass.name), .name(name)]
                next = origin
            case .rowSecurity: return nil
            }
            guard let nextClass = schema[next] else { return nil }
            current = nextClass
        }
        return (components, current)
    }

    /// Nil for all elements, which need no index.
    private func index(_ selector: ElementSelector) -> ParsedPath.Index? {
        switch selector {
        case .all: nil
        case .position(let position): .position(position)
        case .last: .last
        case .key(let key): .key(key)
        }
    }

    private func steps(_ steps: [ValueStep], _ type: PropertyType) -> [ParsedPath.Component]? {
        var components: [ParsedPath.Component] = []
        for (offset, step) in steps.enumerated() {
            switch step {
            case .elements(.all) where offset == 0 && type.isCollection:
                let next = steps.count > 1 ? steps[1] : nil
                if next == nil || next == .length || next == .typeName { continue }
                // The language has the number of elements, but not the sizes of all of them.
                guard type.isMixed else { return nil }
                components.append(.index(.all))
            case .rowSecurity: return nil
            case .elements(let selector): components.append(.index(index(selector) ?? .all))
            case .keys: components.append(.atName("keys"))
            case .size: components.append(.atName("count"))
            case .length: components.append(.name("length"))
            case .typeName: components.append(.atName("type"))
            }
        }
        return components
    }
}
