import JSONCoding
import ObjectModel
import StoreContract
import StoreTesting
import WireProtocol
import TestBasics

/// Anything that one side may say to the other.
enum RandomForms {
    static func json(_ random: inout SeededRandom, depth: Int = 0) -> JSONValue {
        switch random.below(depth > 2 ? 6 : 8) {
        case 0: .null
        case 1: .bool(random.oneIn(2))
        case 2: .int(RandomValues.int(&random))
        case 3: .double(Double(random.below(1000)) / 8 + 0.5)
        case 4, 5: .string(RandomValues.string(&random))
        case 6: .array((0..<random.below(4)).map { _ in json(&random, depth: depth + 1) })
        default: object(&random, depth: depth + 1)
        }
    }

    static func object(_ random: inout SeededRandom, depth: Int = 0) -> JSONValue {
        var names: Set<String> = []
        // jansson rejects a NUL in a member's name, and no name of the protocol has one.
        for _ in 0..<random.below(4) {
            names.insert(
                String(String.UnicodeScalarView(RandomValues.string(&random).unicodeScalars.filter { $0 != "\0" })))
        }
        return .object(JSONObject(names.sorted().map { .init(name: $0, value: json(&random, depth: depth)) }))
    }

    /// A value where null stands for itself, or nothing.
    static func known(_ random: inout SeededRandom) -> JSONValue? { random.oneIn(3) ? nil : json(&random) }

    static func operation(_ random: inout SeededRandom) -> TransactionOperation {
        switch random.below(5) {
        case 0:
            return .create(
                .init(
                    className: RandomValues.string(&random), value: random.oneIn(4) ? nil : object(&random),
                    policy: random.pick(UpdatePolicy.allCases) ?? .error,
                    name: random.oneIn(2) ? nil : RandomValues.string(&random)))
        case 1: return .set(subject(&random), value: object(&random))
        case 2: return .delete(target(&random))
        case 3: return .edit(.init(subject(&random), RandomValues.string(&random), change(&random)))
        default: return .require(requirement(&random))
        }
    }

    private static func target(_ random: inout SeededRandom) -> TransactionOperation.Target {
        random.oneIn(3)
            ? .made(RandomValues.string(&random))
            : .object(className: RandomValues.string(&random), key: json(&random))
    }

    private static func subject(_ random: inout SeededRandom) -> TransactionOperation.Subject {
        .init(
            target(&random),
            path: (0..<random.below(4)).map { _ in
                random.oneIn(2) ? .name(RandomValues.string(&random)) : .position(random.below(99), was: known(&random))
            })
    }

    private static func change(_ random: inout SeededRandom) -> TransactionOperation.Change {
        let index = random.below(1000)
        switch random.below(10) {
        case 0:
            let behind = known(&random)
            return .insert(
                at: index, behind: behind, orAtIndex: behind != nil && random.oneIn(2), json(&random))
        case 1: return .replace(at: index, was: known(&random), json(&random))
        case 2: return .move(from: index, to: random.below(9), was: known(&random))
        case 3: return .removeAt(index, was: known(&random))
        case 4: return .removeKey(RandomValues.string(&random))
        case 5: return .removeValue(json(&random))
        case 6: return .append(json(&random))
        case 7: return .add(json(&random))
        case 8: return .put(key: RandomValues.string(&random), json(&random))
        default: return .clear
        }
    }

    private static func requirement(_ random: inout SeededRandom) -> TransactionOperation.Requirement {
        guard random.oneIn(2) else { return .object(.init(target(&random)), exists: random.oneIn(2)) }
        // Without either, what is required is that there is one.
        let count = random.oneIn(2) ? random.below(9) : nil
        let exists = count == nil ? random.oneIn(2) : random.pick([true, false, nil]) ?? nil
        return .objects(
            className: RandomValues.string(&random), filter: random.oneIn(2) ? nil : RandomValues.string(&random),
            arguments: random.oneIn(2) ? nil : .array([object(&random)]), exists: exists, count: count)
    }

    static func mark(_ random: inout SeededRandom) -> Mark {
        Mark(Version(UInt64(1 + random.below(1 << 40))), HistoryTag(rawValue: random.next()))
    }

    static func position(_ random: inout SeededRandom) -> StreamPosition {
        var position = StreamPosition(random.oneIn(4) ? nil : mark(&random), random.next())
        for _ in 0..<random.below(5) {
            position.exceptions[1 + random.below(1000)] = .some(random.oneIn(3) ? nil : mark(&random))
        }
        return position
    }
}
