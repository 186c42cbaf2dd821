import ColumnTesting
import ObjectModel
import QueryLanguage
import QueryOperators
import StoreTesting
import Testing

import TestBasics

/// Sorting all objects by two keys, against a sort that compares them pairwise.
@Suite("Full sorts")
struct FullSortTests {
    private static let items = ItemClass([PropertySchema("text", PropertyType(.string, isOptional: true))])

    private struct Pair {
        var key: ObjectKey
        var number: Int64
        var text: String?
    }

    @Test(
        "texts that begin alike keep their order behind another key, on one thread and on several",
        arguments: [100, 1_000_000], ["", "i", "item", "a long beginning of all texts "])
    func twoKeys(threadLimit: Int, beginning: String) throws {
        var random = SeededRandom.ofTest("\(threadLimit) \(beginning)")
        let seed = random.seed
        let endings = [
            "", "0", "\u{0}", "0\u{0}", "0\u{0}\u{0}", "12", "123456", "1234567", "123456\u{0}", "é", "2", "~",
        ]
        // Every other time a suffix that does not fit into a word.
        for longEndings: [String] in [[], ["12345678", "123456789", "12345678\u{0}"]] {
            var rows = Rows(schema: Self.items.schema)
            var pairs: [Pair] = []
            let all: [String] = endings + longEndings
            for number in 0..<900 {
                let text: String? =
                    random.oneIn(7) ? nil : beginning + all[Int.random(in: 0..<all.count, using: &random)]
                let pair = Pair(
                    key: ObjectKey(Int64(number)), number: random.oneIn(2) ? 1 : Int64(number % 4), text: text)
                pairs.append(pair)
                rows.objects[ItemClass.id, default: [:]][pair.key] = [
                    PropertyID(1): .int(pair.number), PropertyID(2): text.map { Value.string($0) } ?? .null,
                ]
            }
            let source = try MemoryColumnSource(rows)
            for (first, second) in [(true, true), (true, false), (false, true), (false, false)] {
                let keys = [
                    SortKey(Self.items.path(1), ascending: first), SortKey(Self.items.path(2), ascending: second),
                ]
                let sorter = FullSorter(keys, ItemClass.id, source, threadLimit: threadLimit)
                for pair in pairs { try sorter.add(pair.key) }
                let expected = pairs.sorted { left, right in
                    if left.number != right.number { return (left.number < right.number) == first }
                    let order = Self.order(left.text, right.text)
                    return order == 0 ? left.key < right.key : (order < 0) == second
                }
                #expect(try sorter.sorted() == expected.map(\.key), "seed \(seed): \(first), \(second)")
            }
        }
    }

    /// Compares byte by byte, null first.
    private static func order(_ left: String?, _ right: String?) -> Int {
        guard let left, let right else { return (left == nil ? 0 : 1) - (right == nil ? 0 : 1) }
        if left.utf8.elementsEqual(right.utf8) { return 0 }
        return left.utf8.lexicographicallyPrecedes(right.utf8) ? -1 : 1
    }
}
