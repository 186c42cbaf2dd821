import ColumnTesting
import QuerySyntax
import ObjectModel
import QueryLanguage
import StoreContract
import StoreTesting
import TestBasics
import Testing

@testable import QueryExecution
@testable import QueryOperators

/// Sorts that keep the first few objects, which skip clusters and may begin at the last one, against sorts of all.
@Suite("Sorts of the first few")
struct TopSortTests {
    private static let items = ItemClass([
        PropertySchema("weight", PropertyType(.double, isOptional: true)),
        PropertySchema("when", PropertyType(.date, isOptional: true)),
        PropertySchema("few", PropertyType(.int, isOptional: true)),
    ])

    /// How the values follow the order of creation.
    private enum Course: CaseIterable { case rising, falling, stepping, scattered }

    private static func rows(_ course: Course, hasOdd: Bool, _ random: inout SeededRandom) -> Rows {
        var rows = Rows(schema: items.schema)
        for index in 0..<900 where !random.oneIn(9) {
            let number: Int64 =
                switch course {
                case .rising: Int64(index)
                case .falling: Int64(-index)
                // Many equal ones, also across clusters.
                case .stepping: Int64(index / 150)
                case .scattered: Int64(random.below(300))
                }
            let isOdd = hasOdd && random.oneIn(20)
            rows.objects[ItemClass.id, default: [:]][ObjectKey(Int64(index))] = [
                PropertyID(1): .int(number),
                PropertyID(2): isOdd ? (random.oneIn(2) ? .null : .double(.nan)) : .double(Double(number) / 4),
                PropertyID(3): isOdd ? .null : .date(Timestamp(seconds: number)),
                PropertyID(4): random.oneIn(10) ? .null : .int(Int64(random.below(3))),
            ]
        }
        return rows
    }

    @Test("a page of a sorted class is that part of the whole order, wherever the best objects are")
    func pages() throws {
        var random = SeededRandom.ofTest()
        let seed = random.seed
        for course in Course.allCases {
            for hasOdd in [false, true] {
                let rows = Self.rows(course, hasOdd: hasOdd, &random)
                let executor = QueryExecutor(try MemoryColumnSource(rows))
                for _ in 0..<60 {
                    var sort: [SortKey] = []
                    for number in [[1], [2], [3], [1, 4], [4, 1], [4, 2], [3, 4]].randomElement(using: &random) ?? [] {
                        sort.append(SortKey(Self.items.path(UInt16(number)), ascending: random.oneIn(2)))
                    }
                    let limit = BoundPredicate.comparison(
                        BoundComparison(
                            .path(Self.items.path(1)), .less, .constant(.int(Int64(random.below(900) - 100)))))
                    let few = BoundPredicate.comparison(
                        BoundComparison(.path(Self.items.path(4)), .equal, .constant(.int(1))))
                    let query = BoundQuery(
                        classID: ItemClass.id,
                        predicate: [.constant(true), limit, few].randomElement(using: &random) ?? .constant(true),
                        steps: [.sort(sort)])
                    let all = try executor.select(query)
                    let text = "seed \(seed): \(course), \(hasOdd), \(query)"
                    var window = Window(
                        offset: random.oneIn(3) ? random.below(80) : 0, limit: 1 + random.below(40))
                    var rest = all[...]
                    if random.oneIn(2), let last = all.randomElement(using: &random) {
                        window.after = Cursor(
                            values: try executor.sortValues(sort, of: last, in: ItemClass.id), key: last)
                        rest = all[((all.firstIndex(of: last) ?? 0) + 1)...]
                    }
                    let expected = Array(rest.dropFirst(window.offset).prefix(window.limit ?? 0))
                    #expect(try executor.select(query, window) == expected, "\(text), \(window)")
                }
            }
        }
    }

    @Test("the newest of a class that was created in order are found in its last cluster, and no other one is read")
    func newest() throws {
        var rows = Rows(schema: Self.items.schema)
        for index in 0..<640 {
            rows.objects[ItemClass.id, default: [:]][ObjectKey(Int64(index))] = [PropertyID(1): .int(Int64(index))]
        }
        let source = try MemoryColumnSource(rows)
        let sorter = Sorter([SortKey(Self.items.path(1), ascending: false)], ItemClass.id, source, limit: 5)
        let scan = ClassScan(source, ItemClass.id, ConstantOperator(true))
        let ends = try #require(try scan.endClusters())
        #expect(try sorter.prefers(ends.last, to: ends.first))
        #expect(try !sorter.prefers(ends.first, to: ends.last))
        var added: [Int] = []
        try scan.forEachCluster(lastFirst: true, mayMatter: sorter.mayMatter) { cluster, mask in
            added.append(cluster.index)
            try sorter.add(cluster, mask)
        }
        // The sorter learns what is too small when it first cuts, after more than one cluster.
        #expect(added == Array(added.sorted().reversed()) && added.first == 9 && added.count < 5)
        #expect(sorter.sorted() == (635..<640).reversed().map { ObjectKey(Int64($0)) })
    }
}
