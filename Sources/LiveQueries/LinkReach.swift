import ObjectModel
import StoreContract

/// Which objects of a class reach which changed objects through forward links: what counts as a modification when
/// an observer names no key paths.
struct LinkReach {
    /// How many links away a change still modifies an element.
    static let depth = 3

    private struct Edge {
        var origin: ClassID
        var link: PropertyID
    }

    private let root: ClassID
    /// The number of links from the root to each class within reach.
    private var distances: [ClassID: Int] = [:]
    /// The links that lead to a class from classes within reach.
    private var incoming: [ClassID: [Edge]] = [:]

    init(from root: ClassID, schema: Schema) {
        self.root = root
        var frontier: Set<ClassID> = [root]
        for distance in 0...Self.depth {
            for id in frontier { distances[id] = distance }
            var next: Set<ClassID> = []
            for id in frontier where distance < Self.depth {
                for property in schema[id]?.properties ?? [] where property.type.isLink {
                    guard let target = property.targetClass else { continue }
                    incoming[target, default: []].append(Edge(origin: id, link: property.id))
                    if distances[target] == nil { next.insert(target) }
                }
            }
            frontier = next
        }
    }

    /// The classes whose changes can matter.
    var classes: Set<ClassID> { Set(distances.keys) }

    /// The objects of the root class that were modified, or that reach a modified object. Walks the links backwards
    /// from what changed. Cost: follows the number of objects that link to it.
    func modifiedRoots(by step: LiveStep) throws -> Set<ObjectKey> {
        let (changes, snapshot) = (step.changes, step.after)
        var seen: [ClassID: Set<ObjectKey>] = [:]
        for (id, changes) in changes.classes where distances[id] != nil && !changes.modifications.isEmpty {
            seen[id] = Set(changes.modifications.keys)
        }
        var frontier = seen
        for step in 1...Self.depth {
            var next: [ClassID: Set<ObjectKey>] = [:]
            for (id, keys) in frontier {
                for edge in incoming[id] ?? [] where (distances[edge.origin] ?? .max) <= Self.depth - step {
                    for key in keys {
                        for holder in try snapshot.backlinks(to: key, from: edge.origin, edge.link)
                        where seen[edge.origin, default: []].insert(holder).inserted {
                            next[edge.origin, default: []].insert(holder)
                        }
                    }
                }
            }
            frontier = next
        }
        return seen[root] ?? []
    }
}
