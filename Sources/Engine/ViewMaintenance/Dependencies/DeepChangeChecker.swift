package import ObjectModel
import StoreContract

/// Finds the objects of a class that reach changed objects through forward links, which counts as a modification when
/// an observer gives no key paths.
package struct DeepChangeChecker: Hashable, Sendable {
    /// The number of links up to which a change modifies an element.
    static let depth = 3

    private struct Edge: Hashable {
        let origin: ClassID
        let link: PropertyID
    }

    /// The class of the requested objects.
    let root: ClassID
    /// The number of links from the root to each class within reach.
    private var distances: [ClassID: Int] = [:]
    /// The links that lead to a class from classes within reach, including those in mixed values.
    private var incoming: [ClassID: Set<Edge>] = [:]

    package init(from root: ClassID, schema: Schema) {
        self.root = root
        let linkable = schema.classes.filter { !$0.isEmbedded }.map(\.id)
        var frontier: Set<ClassID> = [root]
        for distance in 0...Self.depth {
            for id in frontier { distances[id] = distance }
            guard distance < Self.depth else { break }
            var next: Set<ClassID> = []
            for id in frontier {
                for property in schema[id]?.storedProperties ?? [] {
                    let targets =
                        property.type.isMixed
                        ? linkable : property.type.isLink ? [property.targetClass].compactMap { $0 } : []
                    for target in targets {
                        incoming[target, default: []].insert(Edge(origin: id, link: property.id))
                        if distances[target] == nil { next.insert(target) }
                    }
                }
            }
            frontier = next
        }
    }

    /// Whether links lead back to objects of the class.
    var returns: Bool { incoming[root]?.isEmpty == false }

    /// The classes whose changes can matter.
    package var classes: Set<ClassID> { Set(distances.keys) }

    /// The objects of the root class that exist before and after the delta and were modified, or reach a modified
    /// object. Cost: the objects that link to changed ones, once for all that request the same of a delta.
    package func modifiedRoots(by step: VersionDelta) throws -> Set<ObjectKey> {
        isTouched(by: step.changes) ? try step.roots(of: self) : []
    }

    /// Whether objects within reach were modified. Cost: the classes with changes.
    func isTouched(by changes: ChangeSet) -> Bool {
        changes.classes.contains { distances[$0] != nil && !$1.modifications.isEmpty }
    }

    /// Follows the links backwards from changed objects: an object that reaches one over unchanged links does so in
    /// both states, and one that reaches it otherwise has a changed link on the path.
    func found(by step: VersionDelta) throws -> Set<ObjectKey> {
        let walk = LinkWalk(step)
        var seen: [ClassID: Set<ObjectKey>] = [:]
        for (id, changes) in step.changes.classes where distances[id] != nil && !changes.modifications.isEmpty {
            seen[id] = Set(changes.modifications.keys)
        }
        var frontier = seen
        for steps in 1...Self.depth {
            var next: [ClassID: Set<ObjectKey>] = [:]
            for (id, keys) in frontier {
                for edge in incoming[id] ?? [] where (distances[edge.origin] ?? .max) <= Self.depth - steps {
                    for key in keys {
                        for holder in try walk.holders(of: ObjectReference(id, key), in: edge.origin, edge.link)
                        where seen[edge.origin, default: []].insert(holder).inserted {
                            next[edge.origin, default: []].insert(holder)
                        }
                    }
                }
            }
            frontier = next
        }
        var found = seen[root] ?? []
        if let changes = step.changes.classes[root] {
            found.subtract(changes.insertions)
            found.subtract(changes.deletions)
        }
        return found
    }
}
