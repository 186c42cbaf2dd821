package import ObjectModel
import StoreContract
package import TestBasics

/// Makes histories of operations that all succeed, except for those that must be rejected.
package struct RandomHistory: Sendable {
    private let schema: Schema
    /// Makes primary keys that are not used twice.
    private var nextKey: Int64

    /// Histories for one store that are made in parallel need key ranges of their own.
    package init(_ schema: Schema, firstKey: Int64 = 0) {
        self.schema = schema
        nextKey = firstKey
    }

    /// The operations of one commit: mostly one to four, more creations than deletions while there are few objects
    /// (`count`), about as many once there are `target`.
    package mutating func commit(count: Int, target: Int, _ random: inout SeededRandom) -> [RandomOperation] {
        let length = random.oneIn(10) ? random.below(20) : 1 + random.below(4)
        return (0..<length).compactMap { _ in operation(mayGrow: count < target, &random) }
    }

    package mutating func operation(mayGrow: Bool, _ random: inout SeededRandom) -> RandomOperation? {
        guard let objectClass = random.pick(schema.classes) else { return nil }
        switch random.below(10) {
        case 0..<(mayGrow ? 5 : 2):
            return objectClass.isEmbedded ? change(objectClass, &random) : creation(objectClass, &random)
        case 5: return .delete(objectClass.id, random.next())
        case 6: return mayGrow ? refusal(objectClass, &random) : .delete(objectClass.id, random.next())
        default: return change(objectClass, &random)
        }
    }

    private mutating func creation(_ objectClass: ClassSchema, _ random: inout SeededRandom) -> RandomOperation {
        var inputs = assignments(objectClass, one: false, &random)
        if let primaryKey = objectClass.primaryKeyProperty {
            nextKey += 1
            inputs[primaryKey.id] = .value(RandomValues.uniqueValue(of: primaryKey.type, number: nextKey))
        }
        return .create(objectClass.id, inputs)
    }

    private func change(_ objectClass: ClassSchema, _ random: inout SeededRandom) -> RandomOperation? {
        if let collection = random.pick(objectClass.storedProperties.filter(\.type.isCollection)), !random.oneIn(3) {
            return .edit(objectClass.id, random.next(), collection.id, edit(of: collection, &random))
        }
        let inputs = assignments(objectClass, one: random.oneIn(2), &random)
        if objectClass.primaryKey != nil, random.oneIn(3) {
            return .put(objectClass.id, random.next(), inputs, random.oneIn(3) ? .all : .modified)
        }
        return .set(objectClass.id, random.next(), inputs)
    }

    private func assignments(
        _ objectClass: ClassSchema, one: Bool, _ random: inout SeededRandom
    ) -> [PropertyID: RandomInput] {
        let assignable = objectClass.storedProperties.filter { $0.name != objectClass.primaryKey }
        let chosen = one ? assignable.randomElement(using: &random).map { [$0] } ?? [] : assignable
        var inputs: [PropertyID: RandomInput] = [:]
        for property in chosen where one || !random.oneIn(3) { inputs[property.id] = input(for: property, &random) }
        return inputs
    }

    // MARK: Values

    private func input(for property: PropertySchema, _ random: inout SeededRandom) -> RandomInput {
        if property.isFullTextIndexed || property.isPartOfPoint {
            return .value(RandomValues.value(of: property, &random))
        }
        guard property.type.isCollection else { return element(of: property, &random) }
        // Each embedded object may own others, so there are few.
        let count = property.ownsTarget ? random.below(3) : RandomValues.length(&random)
        if property.ownsTarget, property.type.collection == .list, random.oneIn(2),
            case .embedded(let inputs) = element(of: property, &random)
        {
            return .turned(random.next(), inputs)
        }
        let elements = (0..<count).map { _ in element(of: property, &random) }
        switch property.type.collection {
        case .map: return .map(elements.map { .init(key: RandomValues.mapKey(&random), input: $0) })
        case .set: return .set(elements)
        default: return .list(elements)
        }
    }

    /// A value for a single property, or one element.
    private func element(of property: PropertySchema, _ random: inout SeededRandom) -> RandomInput {
        let type = property.type
        switch type.base {
        case .link where type.acceptsNull && random.oneIn(4): return .value(.null)
        case .link(let target) where property.ownsTarget:
            return schema[target].map { .embedded(assignments($0, one: false, &random)) } ?? .value(.null)
        case .link: return .link(random.next())
        case .mixed: return mixed(&random, collections: type.collection != .set)
        default: return .value(RandomValues.value(of: type.element, &random))
        }
    }

    /// A mixed value that may hold links, also within lists and dictionaries.
    private func mixed(_ random: inout SeededRandom, collections: Bool, depth: Int = 0) -> RandomInput {
        if random.oneIn(4), let target = random.pick(schema.classes.filter { !$0.isEmbedded }) {
            return .reference(target.id, random.next())
        }
        if collections, depth < 3, random.oneIn(3) {
            let elements = (0..<random.below(4)).map { _ in mixed(&random, collections: true, depth: depth + 1) }
            return random.oneIn(2)
                ? .list(elements) : .map(elements.map { .init(key: RandomValues.mapKey(&random), input: $0) })
        }
        return .value(RandomValues.mixed(&random, depth: collections ? depth : .max))
    }

    private func edit(of property: PropertySchema, _ random: inout SeededRandom) -> RandomEdit {
        if random.oneIn(25) { return .removeAll }
        let element = element(of: property, &random)
        switch property.type.collection {
        case .list, .single:
            switch random.below(8) {
            case 0, 1: return .append(element)
            case 2, 3: return .insert(element, at: random.next())
            case 4: return .replace(element, at: random.next())
            case 5: return .move(from: random.next(), to: random.next())
            default: return .remove(at: random.next())
            }
        case .set:
            switch random.below(4) {
            case 0, 1: return .add(element)
            case 2: return .removeElement(at: random.next())
            default: return .removeValue(element)
            }
        case .map:
            let key = RandomValues.mapKey(&random)
            return random.oneIn(3) ? .removeKey(key) : .put(element, key: key)
        }
    }

    // MARK: Invalid operations

    /// An assignment of several properties one of which is invalid, or an edit that the collection does not allow.
    private func refusal(_ objectClass: ClassSchema, _ random: inout SeededRandom) -> RandomOperation? {
        guard let property = random.pick(objectClass.storedProperties) else { return nil }
        let wrong: RandomInput = .value(property.type.base == .bool ? .int(1) : .bool(true))
        switch (property.type.collection, property.type.base) {
        case (.single, .mixed):
            return .refused(
                .set(objectClass.id, random.next(), [property.id: .value(.list([.link(ObjectKey(0))]))]))
        case (.single, _), (_, .mixed):
            let value: RandomInput = property.type.isCollection ? .value(.bool(true)) : wrong
            var inputs = assignments(objectClass, one: false, &random)
            inputs[property.id] = value
            return .refused(.set(objectClass.id, random.next(), inputs))
        case (.list, _): return .refused(.edit(objectClass.id, random.next(), property.id, .append(wrong)))
        case (.set, _): return .refused(.edit(objectClass.id, random.next(), property.id, .add(wrong)))
        case (.map, _):
            let key = random.oneIn(2) ? "$a" : "a.b"
            return .refused(
                .edit(objectClass.id, random.next(), property.id, .put(element(of: property, &random), key: key)))
        }
    }
}
