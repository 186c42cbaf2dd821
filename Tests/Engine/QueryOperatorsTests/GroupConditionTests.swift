import ObjectModel
import QueryLanguage
import QueryOperators
import StoreContract
import Synchronization
import Testing

/// Conditions on many groups, and the budget of the request that they are tested for.
@Suite("Conditions on groups")
struct GroupConditionTests {
    private static let groups = (0..<10_000).map { number in
        AggregateGroup(key: [.int(Int64(number))], count: number % 7, results: [])
    }

    private static func condition(_ text: String) throws -> GroupCondition {
        let terms = [GroupClass.Term("key", PropertyType(.int)), GroupClass.Term("count", PropertyType(.int))]
        return GroupCondition(try GroupClass(terms).bind(text), on: [.key(0), .count])
    }

    @Test(
        "select groups in their order, and know the number of their comparisons",
        arguments: [
            ("count == 3", 1), ("NOT (count == 3 OR key < 5000)", 2),
            ("key IN {1, 2, 3} AND count > 0 AND count < 9", 3),
            ("key BETWEEN {10, 20}", 2),
        ])
    func selection(text: String, size: Int) throws {
        let condition = try Self.condition(text)
        #expect(condition.size == size)
        let expected = Self.groups.filter { group in
            guard case .int(let key) = group.key[0] else { return false }
            return switch size {
            case 1: group.count == 3
            case 3: [1, 2, 3].contains(key) && group.count > 0
            default: text.hasPrefix("NOT") ? !(group.count == 3 || key < 5000) : (10...20).contains(key)
            }
        }
        #expect(!expected.isEmpty)
        #expect(try condition.selection(of: Self.groups, within: nil).map(\.key) == expected.map(\.key))
        let wide = QueryBudget(rows: nil, effort: 1 << 20, bytes: 1 << 20, milliseconds: 1000)
        #expect(try condition.selection(of: Self.groups, within: wide).count == expected.count)
    }

    @Test("end when the time of the budget is over")
    func time() throws {
        // A millisecond for each reading of the clock.
        let readings = Atomic<Int64>(0)
        let budget = QueryBudget(rows: nil, milliseconds: 2) {
            readings.wrappingAdd(1_000_000, ordering: .relaxed).newValue
        }
        let condition = try Self.condition("count == 3 OR count == 4")
        #expect {
            _ = try condition.selection(of: Self.groups, within: budget)
        } throws: { error in
            (error as? StoreError)?.code == .tooExpensive
        }
    }

    @Test("end when they exceed a small budget, which a loop's thread has")
    func effort() throws {
        let budget = QueryBudget(rows: nil, effort: 5_000, bytes: 1 << 20, milliseconds: nil)
        let condition = try Self.condition("count == 3 OR count == 4")
        #expect {
            _ = try condition.selection(of: Self.groups, within: budget)
        } throws: { error in
            (error as? StoreError)?.code == .tooExpensive
        }
    }

    @Test("end when nobody waits any more")
    func abandoned() throws {
        let budget = QueryBudget(rows: nil, milliseconds: nil, pace: Abandoned())
        let condition = try Self.condition("count == 3 OR count == 4")
        #expect {
            _ = try condition.selection(of: Self.groups, within: budget)
        } throws: { error in
            (error as? StoreError) == .abandoned
        }
    }

    private final class Abandoned: WorkPace {
        var mustPause: Bool { false }
        func pause() {}
        var isAlone: Bool { true }
        var paused: Duration { .zero }
        var isAbandoned: Bool { true }
    }
}
