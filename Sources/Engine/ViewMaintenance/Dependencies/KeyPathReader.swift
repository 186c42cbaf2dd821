import Basics
import ObjectModel
import StoreContract

/// Resolves a key path against a schema.
struct KeyPathReader {
    /// One name of a path.
    private enum Component {
        case name(String)
        case any
    }

    /// A position in the path and a class whose properties it refers to.
    private struct Position: Hashable {
        let index: Int
        let classID: ClassID
    }

    private static let maximumLength = 100

    private let schema: Schema
    private let components: [Component]
    /// The position from which the rest of the path is `*` alone.
    private let tail: Int
    /// Whether added classes or properties would change the path's meaning.
    let isOpen: Bool
    /// Classes that a mixed value can link to.
    private let linkable: [ClassSchema]

    init(_ text: String, _ schema: Schema, takesWildcards: Bool) throws(StoreError) {
        self.schema = schema
        components = text.split(separator: ".", omittingEmptySubsequences: false).map {
            takesWildcards && $0 == "*" ? .any : .name(String($0))
        }
        guard components.count <= Self.maximumLength else {
            throw StoreError(
                .keyPathTooWide, "A key path has \(components.count) names, more than \(Self.maximumLength).")
        }
        var tail = components.count
        while tail > 0, case .any = components[tail - 1] { tail -= 1 }
        self.tail = tail
        linkable = schema.classes.filter { !$0.isEmbedded }
        let names = components.compactMap { component -> String? in
            if case .name(let name) = component { return name }
            return nil
        }
        // The path may not lead to the mixed property of that name; then it is only resolved once more.
        isOpen =
            names.count < components.count
            || schema.classes.contains { $0.properties.contains { $0.type.isMixed && names.contains($0.name) } }
    }

    /// The branches of the path from a class.
    func branches(from classID: ClassID) throws(StoreError) -> [LiveKeyPath.Branch] {
        guard let objectClass = schema[classID] else {
            throw StoreError(.unknownClass, "There is no class number \(classID.rawValue).")
        }
        var memory: [Position: Bool] = [:]
        var branches: [LiveKeyPath.Branch] = []
        var pathCount = 0
        for property in properties(at: 0, of: objectClass) where goesOn(with: property, at: 0, &memory) {
            var tree = DependencyTree(from: classID)
            try add(property, at: 0, to: &tree, DependencyTree.root, &pathCount, &memory)
            branches.append(LiveKeyPath.Branch(property: property.id, tree: tree))
        }
        guard !branches.isEmpty else { throw fault(at: 0, objectClass) }
        return branches
    }

    private func properties(at index: Int, of objectClass: ClassSchema) -> [PropertySchema] {
        switch components[index] {
        case .any: objectClass.properties
        case .name(let name): objectClass[name].map { [$0] } ?? []
        }
    }

    /// The classes of the objects that a property leads to.
    private func targets(of property: PropertySchema) -> [ClassSchema] {
        if property.type.isMixed { return linkable }
        return property.targetClass.flatMap { schema[$0] }.map { [$0] } ?? []
    }

    /// Whether the path can end with the property at that index.
    private func ends(with property: PropertySchema, at index: Int) -> Bool {
        index + 1 == components.count || property.targetClass == nil && index + 1 >= tail
    }

    /// Whether the path from `index` exists in a class. Cost: each position and class once.
    private func fits(_ index: Int, _ objectClass: ClassSchema, _ memory: inout [Position: Bool]) -> Bool {
        let position = Position(index: index, classID: objectClass.id)
        if let known = memory[position] { return known }
        var fits = false
        for property in properties(at: index, of: objectClass) where !fits {
            fits = goesOn(with: property, at: index, &memory)
        }
        memory[position] = fits
        return fits
    }

    private func goesOn(with property: PropertySchema, at index: Int, _ memory: inout [Position: Bool]) -> Bool {
        if ends(with: property, at: index) { return true }
        for target in targets(of: property) where fits(index + 1, target, &memory) { return true }
        return false
    }

    /// Adds the branches of a property that the path continues through.
    private func add(
        _ property: PropertySchema, at index: Int, to tree: inout DependencyTree, _ node: Int, _ pathCount: inout Int,
        _ memory: inout [Position: Bool]
    ) throws(StoreError) {
        pathCount += 1
        guard pathCount <= LiveKeyPath.maximumPaths else {
            throw StoreError(
                .keyPathTooWide,
                "A key path with '*' matches more than \(LiveKeyPath.maximumPaths) properties; name some of them.")
        }
        let edge: DependencyTree.Edge = property.originProperty.map { .backward($0) } ?? .forward(property.id)
        if ends(with: property, at: index) {
            if case .backward = edge, let origin = property.targetClass {
                _ = tree.follow(edge, from: node, to: origin)
            } else {
                tree.read(property.id, at: node)
            }
        }
        guard index + 1 < components.count else { return }
        for target in targets(of: property) where fits(index + 1, target, &memory) {
            let next = tree.follow(edge, from: node, to: target.id)
            for property in properties(at: index + 1, of: target) where goesOn(with: property, at: index + 1, &memory) {
                try add(property, at: index + 1, to: &tree, next, &pathCount, &memory)
            }
        }
    }
}

// MARK: Errors

extension KeyPathReader {
    /// The reason why the path from `index` does not exist in a class.
    private func fault(at index: Int, _ objectClass: ClassSchema) -> StoreError {
        guard case .name(let name) = components[index] else {
            return StoreError(
                .unknownProperty,
                "'*' matches no property of class '\(objectClass.name)' after which the key path can continue.",
                property: "*")
        }
        guard let property = objectClass[name] else {
            return StoreError(
                .unknownProperty,
                "Invalid property name: property '\(name)' not found in object of type '\(objectClass.name)'",
                property: name, hint: objectClass.properties.map(\.name).nearest(to: name))
        }
        if property.type.isMixed { return fault(behind: property, at: index, objectClass) }
        guard let target = targets(of: property).first else {
            return StoreError(
                .unknownProperty,
                "Property '\(objectClass.name).\(name)' is not a link and has no property '\(self.name(at: index + 1))'.",
                property: name)
        }
        return fault(at: index + 1, target)
    }

    private func fault(behind property: PropertySchema, at index: Int, _ objectClass: ClassSchema) -> StoreError {
        if let target = linkable.first(where: { !properties(at: index + 1, of: $0).isEmpty }) {
            return fault(at: index + 1, target)
        }
        let next = name(at: index + 1)
        return StoreError(
            .unknownProperty,
            "Invalid property name: property '\(next)' not found in object of any type that "
                + "'\(objectClass.name).\(property.name)' can link to",
            property: next, hint: linkable.flatMap { $0.properties.map(\.name) }.nearest(to: next))
    }

    private func name(at index: Int) -> String {
        guard components.indices.contains(index), case .name(let name) = components[index] else { return "*" }
        return name
    }
}
