import Columnar
package import ObjectModel
package import QueryLanguage
package import StoreContract

/// Divides ordered objects into sections. Used by one thread, for one pass.
package final class SectionBuilder {
    private let numbering: CombinationNumbering
    private let key: SectionKey
    /// The section of the objects with a value, by the value's number.
    private var sectionOfNumber: [Int32] = []
    private var sectionOfKey: [Value: Int] = [:]
    private var names: [Value] = []
    private var counts: [Int] = []

    package init(_ key: SectionKey, on classID: ClassID, in source: any ColumnSource) {
        numbering = CombinationNumbering([key.path], from: classID, in: source, keepsNullLinks: true)
        self.key = key
    }

    package func sections(of keys: [ObjectKey]) throws -> SectionedKeys {
        var places: [Int32] = []
        places.reserveCapacity(keys.count)
        for key in keys {
            let place = section(try numbering.number(of: key) ?? 0)
            counts[Int(place)] += 1
            places.append(place)
        }
        return keys.withUnsafeBufferPointer { keys in places.withUnsafeBufferPointer { collected(keys, $0) } }
    }

    /// The sections of a scan's matches, in creation order.
    package func sections(of scan: ClassScan) throws -> SectionedKeys {
        // No more than the class has can match.
        let limit = scan.source.clusterCount(of: scan.classID) * scan.source.clusterCapacity
        let keys = UnsafeMutableBufferPointer<ObjectKey>.allocate(capacity: limit)
        let places = UnsafeMutableBufferPointer<Int32>.allocate(capacity: limit)
        let numbers = UnsafeMutablePointer<Int32>.allocate(capacity: scan.source.clusterCapacity)
        defer {
            keys.deallocate()
            places.deallocate()
            numbers.deallocate()
        }
        var count = 0
        try scan.forEachCluster(handlesEach: true) { cluster, mask in
            try numbering.fill(numbers, cluster, mask)
            let first = Int64(cluster.firstKey)
            // Sections are in the order of their first object.
            while sectionOfNumber.count < numbering.count { sectionOfNumber.append(-1) }
            var next = count
            mask.forEach { slot in
                keys.initializeElement(at: next, to: ObjectKey(first + Int64(slot)))
                places.initializeElement(at: next, to: numbers[slot])
                next += 1
            }
            sectionOfNumber.withUnsafeMutableBufferPointer { sections in
                for index in count..<next {
                    let number = Int(places[index])
                    if sections[number] < 0 { sections[number] = Int32(truncatingIfNeeded: find(number)) }
                    places[index] = sections[number]
                }
            }
            counts.withUnsafeMutableBufferPointer { counts in
                for index in count..<next { counts[Int(places[index])] += 1 }
            }
            count = next
        }
        return collected(
            UnsafeBufferPointer(rebasing: keys[..<count]), UnsafeBufferPointer(rebasing: places[..<count]))
    }

    private func section(_ number: Int) -> Int32 {
        while sectionOfNumber.count <= number { sectionOfNumber.append(-1) }
        if sectionOfNumber[number] < 0 { sectionOfNumber[number] = Int32(truncatingIfNeeded: find(number)) }
        return sectionOfNumber[number]
    }

    /// Several values may have the same section key.
    private func find(_ number: Int) -> Int {
        let name = key.value(of: numbering.values(of: number)[0])
        let form = name.distinctForm
        if let known = sectionOfKey[form] { return known }
        sectionOfKey[form] = names.count
        names.append(name)
        counts.append(0)
        return names.count - 1
    }

    /// Collects the objects of each section, in their order.
    private func collected(
        _ keys: UnsafeBufferPointer<ObjectKey>, _ places: UnsafeBufferPointer<Int32>
    ) -> SectionedKeys {
        var starts = [Int](repeating: 0, count: names.count)
        var sections: [SectionedKeys.Section] = []
        sections.reserveCapacity(names.count)
        var start = 0
        for section in key.order.arranged(names) {
            starts[section] = start
            sections.append(SectionedKeys.Section(key: names[section], range: start..<start + counts[section]))
            start += counts[section]
        }
        let sorted = [ObjectKey](unsafeUninitializedCapacity: keys.count) { buffer, count in
            starts.withUnsafeMutableBufferPointer { starts in
                for (key, place) in zip(keys, places) {
                    let section = Int(place)
                    buffer.initializeElement(at: starts[section], to: key)
                    starts[section] += 1
                }
            }
            count = keys.count
        }
        return SectionedKeys(sections: sections, keys: sorted)
    }
}
