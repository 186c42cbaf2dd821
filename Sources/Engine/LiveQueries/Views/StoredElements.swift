import Basics
import ViewMaintenance
import ObjectModel
import StoreContract

/// The elements of one object's list, set or map at one version, read in blocks.
struct StoredElements {
    /// The number of elements that are read at once.
    private static let block = 2048
    /// Looking up the objects that link to an object costs about as much as reading this many elements.
    private static let lookUpShare = 16

    private let reads: any ObjectReads
    private let object: ObjectReference
    private let property: PropertyID

    init(_ reads: any ObjectReads, _ object: ObjectReference, _ property: PropertyID) {
        self.reads = reads
        self.object = object
        self.property = property
    }

    var count: Int { get throws { try reads.elementCount(object.classID, object.key, property) } }

    /// Positions and elements, in order.
    func forEach(_ body: (Int, Value) throws -> Void) throws {
        let count = try count
        for start in stride(from: 0, to: count, by: Self.block) {
            let elements = try reads.elements(
                object.classID, object.key, property, start..<min(start + Self.block, count))
            for (offset, element) in elements.enumerated() { try body(start + offset, element) }
        }
    }

    /// The positions of those of the values that are in the set, ascending. Cost: a binary search for each, or a pass
    /// over the set where that is less.
    func positions(of values: some Collection<Value>) throws -> [Int] {
        guard !values.isEmpty else { return [] }
        let count = try count
        var positions: [Int] = []
        if values.count * Self.lookUpShare > count {
            let sorted = values.sorted { Value.order($0, $1) < 0 }
            var next = 0
            try forEach { index, element in
                while next < sorted.count, Value.order(sorted[next], element) < 0 { next += 1 }
                if next < sorted.count, Value.order(sorted[next], element) == 0 { positions.append(index) }
            }
            return positions
        }
        for value in values {
            let index = try (0..<count).partitioningIndex { try Value.order(element($0), value) >= 0 }
            if index < count, try Value.order(element(index), value) == 0 { positions.append(index) }
        }
        return positions.sorted()
    }

    private func element(_ index: Int) throws -> Value {
        try reads.elements(object.classID, object.key, property, index..<index + 1).first ?? .null
    }

    /// Returns false only when the collection links to none of the objects. Cost: for few objects, those that link to
    /// them; for many nothing, as reading the elements is cheaper then.
    func mayHold(_ links: ModifiedLinks) throws -> Bool {
        guard !links.isEmpty else { return false }
        guard try links.count * Self.lookUpShare < count else { return true }
        return try links.references.contains { target in
            try reads.backlinks(to: target, from: object.classID, property).contains(object.key)
        }
    }
}
