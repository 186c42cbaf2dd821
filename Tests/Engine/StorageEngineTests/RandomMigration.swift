import ObjectModel
import QueryLanguage
import StoreContract
import StoreTesting
import TestBasics

/// A random migration for a schema: its target, steps, and the operations of its block. Some are impossible.
struct RandomMigration: Sendable {
    private(set) var schema: Schema
    private(set) var steps: [MigrationStep] = []
    private(set) var operations: [RandomOperation] = []
    /// Gives an object the primary key of another one, by class.
    private(set) var duplicates: [String] = []
    private(set) var fails = false

    private static let bases: [BaseType] = [
        .bool, .int, .float, .double, .string, .data, .date, .decimal128, .objectId, .uuid, .mixed,
    ]

    init(from old: Schema, _ random: inout SeededRandom) {
        schema = old
        repeat {
            steps = []
            var classes = old.classes
            for index in classes.indices.reversed() {
                if random.oneIn(10), classes.count > 2 {
                    if random.oneIn(2) { steps.append(.deleteClass(classes[index].name)) }
                    classes.remove(at: index)
                } else {
                    change(&classes[index], old, &random)
                }
            }
            if random.oneIn(4) {
                classes.append(
                    ClassSchema("New\(old.version)", properties: [PropertySchema("x", PropertyType(.mixed))]))
            }
            Self.mend(&classes)
            schema = Schema(version: old.version + 1, classes: classes)
        } while !schema.faults().isEmpty
        for objectClass in schema.classes where random.oneIn(12) { steps.append(.deleteClass(objectClass.name)) }
        let plan = MigrationPlan(from: old, to: schema, steps: steps)
        guard random.oneIn(2) else { return }
        var history = RandomHistory(plan.new, firstKey: Int64(old.version) * 1_000_000)
        operations = (0..<random.below(20)).compactMap { _ in
            guard let operation = history.operation(mayGrow: true, &random) else { return nil }
            if case .refused = operation { return nil }
            return operation
        }
        duplicates = schema.classes.filter { $0.primaryKey != nil && random.oneIn(12) }.map(\.name)
        fails = random.oneIn(10)
    }

    /// The migration's block. Rejected operations change nothing.
    func run(_ migration: any MigrationTransaction) throws {
        for operation in operations {
            do {
                try migration.perform(operation)
            } catch is StoreError {}
        }
        for name in duplicates {
            guard let objectClass = migration.schema[name], let property = objectClass.primaryKeyProperty else {
                continue
            }
            let keys = try migration.select(BoundQuery(classID: objectClass.id), .all)
            guard let first = keys.first, let last = keys.last else { continue }
            let value = try migration.value(objectClass.id, first, property.id)
            try migration.set(objectClass.id, last, [property.id: value])
        }
        if fails { throw StoreError(.busy, "The block failed.") }
    }

    private mutating func change(_ objectClass: inout ClassSchema, _ old: Schema, _ random: inout SeededRandom) {
        let name = objectClass.name
        if random.oneIn(16) { objectClass.isEmbedded.toggle() }
        if random.oneIn(10) { objectClass.primaryKey = nil }
        var properties: [PropertySchema] = []
        for var property in objectClass.properties {
            let isKey = property.name == objectClass.primaryKey
            switch random.below(14) {
            case 0 where !isKey:
                // Removed, and sometimes copied to a new one.
                guard random.oneIn(2), !property.type.isComputed else { continue }
                let copy = PropertySchema("\(property.name)c", property.type)
                properties.append(copy)
                steps.append(.copy(class: name, from: property.name, to: copy.name))
                continue
            case 1, 2:
                guard !property.type.isComputed else { break }
                let renamed = "\(property.name)r"
                steps.append(.rename(class: name, from: property.name, to: renamed))
                if isKey { objectClass.primaryKey = renamed }
                property.name = renamed
                if random.oneIn(3), property.type.base != .mixed, !property.type.isLink {
                    property.type.isOptional = true
                }
            case 3 where !property.type.isLink && !property.type.isComputed && !isKey:
                convert(&property, of: name, &random)
            case 4 where !property.type.isLink && !property.type.isComputed && property.type.base != .mixed:
                property.type.isOptional.toggle()
                if random.oneIn(2) {
                    steps.append(
                        .convert(
                            class: name, from: property.name, to: property.name,
                            fallback: isKey ? nil : RandomValues.value(of: property.type, &random)))
                }
            case 5 where property.type.isLink:
                guard let target = random.pick(old.classes) else { break }
                property.type.base = .link(target.name)
            case 6:
                property.isIndexed = !property.isIndexed && property.type.canBeIndexed
            case 7 where property.type.canBePrimaryKey && objectClass.primaryKey == nil && !objectClass.isEmbedded:
                objectClass.primaryKey = property.name
            case 8 where !property.type.isLink && !property.type.isComputed && !isKey && random.oneIn(3):
                steps.append(
                    .setDefault(
                        class: name, property: property.name,
                        value: random.oneIn(2) ? RandomValues.value(of: property.type, &random) : nil))
            default: break
            }
            properties.append(property)
        }
        if random.oneIn(3) {
            let base = random.pick(Self.bases) ?? .int
            let collection = random.pick([CollectionKind.single, .list, .set, .map]) ?? .single
            properties.insert(
                PropertySchema("n\(old.version)", PropertyType(base, collection: collection)),
                at: random.below(properties.count + 1))
        }
        if properties.isEmpty { properties = [PropertySchema("only", PropertyType(.int))] }
        objectClass.properties = properties
    }

    private mutating func convert(_ property: inout PropertySchema, of name: String, _ random: inout SeededRandom) {
        let before = property.type
        property.type.base = random.pick(Self.bases) ?? .string
        if property.type.base == .mixed { property.type.isOptional = false }
        if random.oneIn(4) { property.type.collection = random.pick([.single, .list, .set, .map]) ?? .list }
        property.isIndexed = property.isIndexed && property.type.canBeIndexed
        guard before.isConvertible(to: property.type), random.oneIn(2) else { return }
        let fallback = random.oneIn(6) ? nil : ValueRules.normalised(RandomValues.value(of: property.type, &random))
        steps.append(.convert(class: name, from: property.name, to: property.name, fallback: fallback))
    }

    /// Removes what a change of another class has made impossible.
    private static func mend(_ classes: inout [ClassSchema]) {
        var isDone = false
        while !isDone {
            isDone = true
            let schema = Schema(version: 0, classes: classes)
            for index in classes.indices {
                if classes[index].isEmbedded { classes[index].primaryKey = nil }
                let kept = classes[index].properties.filter { property in
                    switch property.type.base {
                    case .link(let target):
                        guard let target = schema[target] else { return false }
                        return !(target.isEmbedded && property.type.collection == .set)
                    case .linkingObjects(let origin, let name):
                        guard case .link(let target)? = schema[origin]?[name]?.type.base else { return false }
                        return target == classes[index].name
                    default: return true
                    }
                }
                if kept.count < classes[index].properties.count {
                    isDone = false
                    classes[index].properties =
                        kept.isEmpty ? [PropertySchema("left", PropertyType(.bool))] : kept
                }
            }
        }
    }
}
