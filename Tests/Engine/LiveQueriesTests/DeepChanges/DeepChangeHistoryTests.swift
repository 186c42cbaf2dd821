import ObjectModel
import QueryLanguage
import StoreContract
import StoreTesting
import Testing

@testable import ViewMaintenance
@testable import LiveQueries
import TestBasics

/// The modified objects, computed literally by the rules: forwards from each object.
struct DeepChangeHistoryTests {
    @Test(
        "without key paths, whoever reaches a change over three links of any kind is modified, and nobody else",
        arguments: RandomSteps.Kind.allCases, 0..<TestRun.length)
    func defaultDepth(_ kind: RandomSteps.Kind, _ round: Int) throws {
        let seed = TestSeed.of("\(kind) \(round)")
        let steps = try RandomSteps(kind, seed: seed)
        var modified = 0
        var spared = 0
        for number in 0..<15 {
            let ways = try steps.step()
            let forwards = ways[0]
            for objectClass in steps.schema.classes {
                let reach = DeepChangeChecker(from: objectClass.id, schema: steps.schema)
                var expected: Set<ObjectKey> = []
                for key in try forwards.lasting(of: objectClass.id) {
                    if try isModified(ObjectReference(objectClass.id, key), forwards, depth: 3) {
                        expected.insert(key)
                    } else {
                        spared += 1
                    }
                }
                modified += expected.count
                for step in ways {
                    #expect(
                        try reach.modifiedRoots(by: step) == expected,
                        "seed \(seed), step \(number), \(objectClass.name)")
                }
            }
        }
        if TestRun.hasFixedSeeds { #expect(modified > 0 && spared > 0, "seed \(seed)") }
    }

    private func isModified(_ object: ObjectReference, _ step: VersionDelta, depth: Int) throws -> Bool {
        if step.changes.classes[object.classID]?.modifications[object.key] != nil { return true }
        guard depth > 0, let objectClass = step.after.schema[object.classID] else { return false }
        for property in objectClass.storedProperties where property.type.isLink || property.type.isMixed {
            let value = try step.after.value(object.classID, object.key, property.id)
            for next in links(value, of: property) where try isModified(next, step, depth: depth - 1) { return true }
        }
        return false
    }

    private func links(_ value: Value, of property: PropertySchema) -> [ObjectReference] {
        switch value {
        case .link(let key): property.targetClass.map { [ObjectReference($0, key)] } ?? []
        case .reference(let object): [object]
        case .list(let values), .set(let values): values.flatMap { links($0, of: property) }
        case .dictionary(let map): map.entries.flatMap { links($0.value, of: property) }
        default: []
        }
    }

    @Test(
        "with key paths, also those with wildcards, exactly those are modified who reach a change along one",
        arguments: RandomSteps.Kind.allCases, 0..<TestRun.length)
    func keyPaths(_ kind: RandomSteps.Kind, _ round: Int) throws {
        let seed = TestSeed.of("\(kind) \(round)")
        let steps = try RandomSteps(kind, seed: seed)
        var modified = 0
        var refused = 0
        for number in 0..<12 {
            let ways = try steps.step()
            let forwards = ways[0]
            for _ in 0..<12 {
                guard let objectClass = steps.random.pick(steps.schema.classes) else { continue }
                let names = randomNames(from: objectClass, steps.schema, &steps.random)
                let rule = KeyPathRule(names: names, schema: steps.schema)
                let context = "seed \(seed), step \(number), \(objectClass.name) \(names)"
                let path: LiveKeyPath
                do {
                    path = try LiveKeyPath(
                        names.joined(separator: "."), in: objectClass.id, of: steps.schema)
                } catch {
                    refused += 1
                    #expect(error.code == .keyPathTooWide || !rule.exists(0, objectClass), "\(context): \(error)")
                    continue
                }
                #expect(rule.exists(0, objectClass), "\(context)")
                var expected: Set<ObjectKey> = []
                var firsts: [ObjectKey: PropertySet] = [:]
                for key in try forwards.lasting(of: objectClass.id) {
                    let properties = try rule.changed(0, ObjectReference(objectClass.id, key), forwards)
                    firsts[key] = properties
                    if !properties.isEmpty { expected.insert(key) }
                }
                modified += expected.count
                let filter = KeyPathFilter([path])
                for step in ways {
                    #expect(try filter.modifiedRoots(by: step) == expected, "\(context)")
                    for (key, properties) in firsts {
                        #expect(
                            try filter.branches.changedProperties(of: key, by: step) == properties, "\(context), \(key)"
                        )
                        // From the object, as when too many link to changed ones.
                        for branch in path.branches {
                            #expect(
                                try branch.tree.isReached(from: key, by: step)
                                    == properties.contains(branch.property), "\(context), \(key)")
                        }
                    }
                }
            }
        }
        if TestRun.hasFixedSeeds { #expect(modified > 0, "seed \(seed)") }
    }

    /// Mostly names that fit, sometimes `*`, sometimes anything.
    private func randomNames(
        from start: ClassSchema, _ schema: Schema, _ random: inout SeededRandom
    ) -> [String] {
        var names: [String] = []
        var current: ClassSchema? = start
        while let objectClass = current, names.count < 4, names.isEmpty || !random.oneIn(4) {
            let links = objectClass.properties.filter { $0.targetClass != nil || $0.type.isMixed }
            guard let property = random.pick(random.oneIn(3) || links.isEmpty ? objectClass.properties : links) else {
                break
            }
            names.append(random.oneIn(5) ? "*" : property.name)
            current =
                property.type.isMixed || random.oneIn(20)
                ? random.pick(schema.classes) : property.targetClass.flatMap { schema[$0] }
        }
        return names
    }
}

/// The meaning of a key path, name by name and object by object.
struct KeyPathRule {
    let names: [String]
    let schema: Schema

    private func properties(_ index: Int, _ objectClass: ClassSchema) -> [PropertySchema] {
        objectClass.properties.filter { (names[index] == "*" || $0.name == names[index]) && goesOn($0, index) }
    }

    func exists(_ index: Int, _ objectClass: ClassSchema) -> Bool { !properties(index, objectClass).isEmpty }

    private func goesOn(_ property: PropertySchema, _ index: Int) -> Bool {
        let rest = names.dropFirst(index + 1)
        if rest.isEmpty { return true }
        if let target = property.targetClass.flatMap({ schema[$0] }) { return exists(index + 1, target) }
        if rest.allSatisfy({ $0 == "*" }) { return true }
        return property.type.isMixed && schema.classes.contains { !$0.isEmbedded && exists(index + 1, $0) }
    }

    /// The first properties of the path along which something changed for an object.
    func changed(_ index: Int, _ object: ObjectReference, _ step: VersionDelta) throws -> PropertySet {
        var changed = PropertySet()
        guard let objectClass = schema[object.classID] else { return changed }
        for property in properties(index, objectClass) where try isChanged(property, index, object, step) {
            changed.insert(property.id)
        }
        return changed
    }

    private func isChanged(
        _ property: PropertySchema, _ index: Int, _ object: ObjectReference, _ step: VersionDelta
    ) throws -> Bool {
        let changes = step.changes.classes[object.classID]
        if changes?.modifications[object.key]?.contains(property.id) == true { return true }
        var next: [ObjectReference] = []
        if let origin = property.targetClass, let link = property.originProperty {
            let now = try step.after.backlinks(to: object, from: origin, link)
            if changes?.insertions.contains(object.key) == true { return true }
            if try step.before.backlinks(to: object, from: origin, link) != now { return true }
            next = now.map { ObjectReference(origin, $0) }
        } else {
            next = links(try step.after.value(object.classID, object.key, property.id), property.targetClass)
        }
        guard index + 1 < names.count else { return false }
        return try next.contains { try !changed(index + 1, $0, step).isEmpty }
    }

    private func links(_ value: Value, _ target: ClassID?) -> [ObjectReference] {
        switch value {
        case .link(let key): target.map { [ObjectReference($0, key)] } ?? []
        case .reference(let object): [object]
        case .list(let values), .set(let values): values.flatMap { links($0, target) }
        case .dictionary(let map): map.entries.flatMap { links($0.value, target) }
        default: []
        }
    }
}
