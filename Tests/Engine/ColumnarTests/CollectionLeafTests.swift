import Columnar
import ObjectModel
import StoreTesting
import Testing
import TestBasics

/// Sizes and Ints of collections read from a leaf's bytes, against the collections themselves.
@Suite("Collections of a leaf")
struct CollectionLeafTests {
    private static func lists(_ count: Int, _ random: inout SeededRandom) -> [Value] {
        // A few that occur often are in the leaf once each.
        if Bool.random(using: &random) {
            let some = (0..<8).map { Value.list((0..<$0).map { .int(Int64($0)) }) } + [.null, .list([.int(1), .null])]
            return (0..<count).map { _ in some.randomElement(using: &random) ?? .null }
        }
        return (0..<count).map { slot in
            if slot % 17 == 3 { return .null }
            // Some are longer than one byte can count.
            let size = slot % 61 == 7 ? 150 : Int.random(in: 0..<6, using: &random)
            return .list(
                (0..<size).map { _ in
                    switch Int.random(in: 0..<40, using: &random) {
                    case 0: .null
                    case 1: .int([.min, .max, -1].randomElement(using: &random) ?? 0)
                    case 2: .int(Int64.random(in: 0..<100_000, using: &random))
                    default: .int(Int64.random(in: -3..<8, using: &random))
                    }
                })
        }
    }

    @Test("sizes and Ints of lists in a leaf are those of the lists")
    func lists() throws {
        let seed = TestSeed.of()
        var random = SeededRandom(seed: seed)
        for count in [1, 64, 500, 500, 500] {
            let values = Self.lists(count, &random)
            let lists = values.map { if case .list(let elements) = $0 { elements } else { [Value]() } }
            try encode(values, .list).withLeaf(.list) { leaf in
                for _ in 0..<12 {
                    let low = Int64.random(in: -4..<9, using: &random)
                    let high = Bool.random(using: &random) ? low : low + Int64.random(in: -1..<4, using: &random)
                    let isInverted = Bool.random(using: &random)
                    let wanted = LeafIntegers(low, through: high, isInverted: isInverted)
                    let isOpposite = Bool.random(using: &random)
                    let bySize = SelectionMask(capacity: count)
                    bySize.reset(slotCount: count)
                    for slot in 0..<count where slot % 5 != 4 { bySize.insert(slot) }
                    let byElement = SelectionMask(capacity: count)
                    byElement.reset(to: bySize)
                    leaf.narrow(bySize, sizes: wanted, scratch: SelectionMask(capacity: count))
                    func passes(_ value: Value) -> Bool {
                        guard case .int(let number) = value else { return isInverted }
                        return (low <= number && number <= high) != isInverted
                    }
                    leaf.narrow(
                        byElement, toAny: wanted, isOpposite: isOpposite, scratch: SelectionMask(capacity: count)
                    ) { lists[$0].contains(where: passes) != isOpposite }
                    for slot in 0..<count {
                        let isSelected = slot % 5 != 4
                        let sizePasses = (low <= lists[slot].count && lists[slot].count <= high) != isInverted
                        let elementPasses = lists[slot].contains(where: passes) != isOpposite
                        #expect(bySize.contains(slot) == (isSelected && sizePasses), "seed \(seed)")
                        #expect(byElement.contains(slot) == (isSelected && elementPasses), "seed \(seed)")
                    }
                }
            }
        }
    }
}
