package import ObjectModel
import QueryLanguage
package import StoreContract

/// One change that a history makes. Objects are named by a random number that is reduced to those that exist when
/// the operation runs, so that operations can be made without looking at the store.
package enum RandomOperation: Hashable, Sendable {
    case create(ClassID, [PropertyID: Value], links: [PropertyID: UInt64])
    case set(ClassID, UInt64, [PropertyID: Value], links: [PropertyID: UInt64])
    case delete(ClassID, UInt64)
}

/// Makes histories of operations that all succeed.
package struct RandomHistory: Sendable {
    private let schema: Schema
    /// Makes primary keys that are not used twice.
    private var nextKey: Int64

    /// Histories of one store that are made side by side need key ranges of their own.
    package init(_ schema: Schema, firstKey: Int64 = 0) {
        self.schema = schema
        nextKey = firstKey
    }

    /// The operations of one commit: mostly one to four, more creations than deletions while `count` objects are
    /// few, about as many once there are `target`.
    package mutating func commit(count: Int, target: Int, _ random: inout SeededRandom) -> [RandomOperation] {
        let length = random.oneIn(10) ? random.below(20) : 1 + random.below(4)
        return (0..<length).compactMap { _ in operation(mayGrow: count < target, &random) }
    }

    package mutating func operation(mayGrow: Bool, _ random: inout SeededRandom) -> RandomOperation? {
        guard let objectClass = random.pick(schema.classes) else { return nil }
        switch random.below(10) {
        case 0..<(mayGrow ? 5 : 2):
            var (values, links) = assignments(objectClass, one: false, &random)
            if let primaryKey = objectClass.primaryKeyProperty {
                nextKey += 1
                values[primaryKey.id] = RandomValues.uniqueValue(of: primaryKey.type, number: nextKey)
            }
            return .create(objectClass.id, values, links: links)
        case 5: return .delete(objectClass.id, random.next())
        case 6: return mayGrow ? nil : .delete(objectClass.id, random.next())
        default:
            let (values, links) = assignments(objectClass, one: random.oneIn(2), &random)
            return .set(objectClass.id, random.next(), values, links: links)
        }
    }

    private func assignments(
        _ objectClass: ClassSchema, one: Bool, _ random: inout SeededRandom
    ) -> (values: [PropertyID: Value], links: [PropertyID: UInt64]) {
        let assignable = objectClass.storedProperties.filter { $0.name != objectClass.primaryKey }
        let chosen = one ? assignable.randomElement(using: &random).map { [$0] } ?? [] : assignable
        var values: [PropertyID: Value] = [:]
        var links: [PropertyID: UInt64] = [:]
        for property in chosen where one || !random.oneIn(3) {
            if property.type.isToOneLink, !random.oneIn(4) {
                links[property.id] = random.next()
            } else {
                values[property.id] = RandomValues.value(of: property.type, &random)
            }
        }
        return (values, links)
    }
}

extension WriteTransaction {
    /// Runs a random operation; one that needs an object where there is none does nothing.
    package func perform(_ operation: RandomOperation) throws {
        switch operation {
        case .create(let classID, let values, let links):
            _ = try create(classID, try resolve(links, classID, into: values))
        case .set(let classID, let number, let values, let links):
            guard let key = try object(classID, number) else { return }
            try set(classID, key, try resolve(links, classID, into: values))
        case .delete(let classID, let number):
            guard let key = try object(classID, number) else { return }
            try delete(classID, key)
        }
    }

    private func resolve(
        _ links: [PropertyID: UInt64], _ classID: ClassID, into values: [PropertyID: Value]
    ) throws -> [PropertyID: Value] {
        var values = values
        for (property, number) in links {
            guard let target = schema[classID]?[property]?.targetClass else { continue }
            values[property] = try object(target, number).map { .link($0) } ?? .null
        }
        return values
    }

    /// The object that a random number stands for.
    private func object(_ classID: ClassID, _ number: UInt64) throws -> ObjectKey? {
        let count = count(of: classID)
        guard count > 0 else { return nil }
        let offset = Int(number % UInt64(count))
        return try select(.init(classID: classID), .init(offset: offset, limit: 1)).first
    }
}
