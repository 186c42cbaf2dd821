import ObjectModel
import StoreContract

/// Finds which objects of a class are modified in the sense of some key paths.
///
/// What was assigned is found backwards from the changed objects, or forwards from few elements. Who stopped
/// linking cannot be seen in the new state, so paths through linking objects also remember which objects they
/// led to.
final class KeyPathFilter {
    /// Up to this many elements are looked at one by one, however many objects link to what changed.
    private static let fewElements = 16

    let paths: [LiveKeyPath]
    /// For each path through linking objects, what it reached from each element, step by step.
    private var reached: [LiveKeyPath: [ObjectKey: PathReach]] = [:]

    init(_ paths: [LiveKeyPath]) { self.paths = paths }

    /// Takes the present state of `elements` as what later changes are relative to.
    func remember(_ elements: some Collection<ObjectKey>, _ snapshot: any ObjectReads) throws {
        for path in paths where path.hasBacklinks {
            reached[path] = try Dictionary(
                elements.map { ($0, try path.reach(from: $0, snapshot)) }, uniquingKeysWith: { first, _ in first })
        }
    }

    /// The objects of the paths' class that each path finds modified. `elements` are all that are observed now,
    /// `joined` those among them that were not observed before.
    func modified(
        by step: LiveStep, _ elements: some Collection<ObjectKey>, joined: [ObjectKey]
    ) throws -> [LiveKeyPath: Set<ObjectKey>] {
        let (changes, snapshot) = (step.changes, step.after)
        var result: [LiveKeyPath: Set<ObjectKey>] = [:]
        for path in paths where path.watchedClasses.contains(where: { changes.classes[$0] != nil }) {
            result[path] =
                elements.count <= Self.fewElements
                ? Set(try elements.filter { try path.isModified(from: $0, by: changes, snapshot) })
                : try path.modifiedRoots(by: changes, snapshot)
            guard path.hasBacklinks else { continue }
            let before = reached[path] ?? [:]
            var now: [ObjectKey: PathReach] = Dictionary(minimumCapacity: elements.count)
            for element in elements {
                let reach = try path.reach(from: element, snapshot)
                now[element] = reach
                if let earlier = before[element], earlier != reach { result[path, default: []].insert(element) }
            }
            reached[path] = now
        }
        // Elements that joined while none of a path's classes changed would have nothing to be compared with.
        for path in paths where path.hasBacklinks && result[path] == nil {
            for element in joined {
                reached[path, default: [:]][element] = try path.reach(from: element, snapshot)
            }
        }
        return result
    }
}

extension LiveKeyPath {
    /// The objects that start the path and reach an assignment along it, in the new state.
    fileprivate func modifiedRoots(by changes: ChangeSet, _ snapshot: any ObjectReads) throws -> Set<ObjectKey> {
        var roots: Set<ObjectKey> = []
        let classes = classes
        for (index, step) in steps.enumerated() {
            var holders = Set(
                (changes.classes[classes[index]]?.modifications ?? [:]).filter { $0.value.contains(step.property) }
                    .keys)
            for earlier in steps.indices.prefix(index).reversed() where !holders.isEmpty {
                holders = try objects(before: steps[earlier], in: classes[earlier], leadingTo: holders, snapshot)
            }
            roots.formUnion(holders)
        }
        return roots
    }

    private func objects(
        before step: Step, in classID: ClassID, leadingTo targets: Set<ObjectKey>, _ snapshot: any ObjectReads
    ) throws -> Set<ObjectKey> {
        var objects: Set<ObjectKey> = []
        for target in targets {
            switch step {
            case .value: break
            case .link(let property, _):
                objects.formUnion(try snapshot.backlinks(to: target, from: classID, property))
            case .backlinks(_, let origin, let link):
                objects.formUnion(try snapshot.value(origin, target, link).linkedKeys)
            }
        }
        return objects
    }

    /// Whether an assignment lies along the path from one object that starts it, in the new state.
    fileprivate func isModified(
        from key: ObjectKey, by changes: ChangeSet, _ snapshot: any ObjectReads
    ) throws -> Bool {
        let levels = [[key]] + (try reach(from: key, snapshot)).levels
        return zip(zip(classes, steps), levels).contains { place, objects in
            guard let modifications = changes.classes[place.0]?.modifications else { return false }
            return objects.contains { modifications[$0]?.contains(place.1.property) == true }
        }
    }

    /// What each step leads to from one object that starts the path.
    fileprivate func reach(from key: ObjectKey, _ snapshot: any ObjectReads) throws -> PathReach {
        var reach = PathReach()
        var current = [key]
        for (classID, step) in zip(classes, steps) {
            switch step {
            case .value: return reach
            case .link(let property, _):
                current = try current.flatMap { try snapshot.value(classID, $0, property).linkedKeys }
            case .backlinks(_, let origin, let link):
                let origins = try current.map { try snapshot.backlinks(to: $0, from: origin, link) }
                reach.originCounts.append(origins.map(\.count))
                current = Array(origins.joined())
            }
            reach.levels.append(current)
        }
        return reach
    }
}

/// The objects along a path from one element.
private struct PathReach: Equatable {
    /// What each step leads to.
    var levels: [[ObjectKey]] = []
    /// For each step to linking objects, how many of them link to each object before it: an origin that goes from
    /// one to the next would not show in `levels`.
    var originCounts: [[Int]] = []
}
