import ObjectModel
import Testing

struct PropertySetTests {
    @Test("a set contains exactly the inserted members, in ascending order, whatever the numbers")
    func members() {
        let set = PropertySet([PropertyID(200), PropertyID(1), PropertyID(63), PropertyID(64), PropertyID(1)])
        #expect(set.members.map(\.rawValue) == [1, 63, 64, 200])
        #expect(set.contains(PropertyID(200)))
        #expect(!set.contains(PropertyID(199)))
        #expect(!set.contains(PropertyID(65_535)))
        #expect(!set.isEmpty)
        #expect(PropertySet().isEmpty)
    }

    @Test("a union holds the members of both, and sets intersect when they share one")
    func union() {
        let low = PropertySet([PropertyID(3)])
        let high = PropertySet([PropertyID(130)])
        var both = low
        both.formUnion(high)
        #expect(both.members == [PropertyID(3), PropertyID(130)])
        #expect(!low.intersects(high))
        #expect(both.intersects(low))
        #expect(high.intersects(both))
        var other = high
        other.formUnion(low)
        #expect(other == both)
    }
}
