import Columnar
import ObjectModel
import QueryLanguage
import StoreContract

/// Divides ordered objects into sections. Used by one thread, for one pass.
final class SectionBuilder {
    private let numbering: CombinationNumbering
    private let function: SectionKey.Function?
    /// By number of a value: the section of objects that have it.
    private var sectionOfNumber: [Int] = []
    private var sectionOfKey: [Value: Int] = [:]
    private var names: [Value] = []
    private var counts: [Int] = []
    private var keys: [ObjectKey] = []
    private var places: [Int32] = []

    init(_ key: SectionKey, on classID: ClassID, in source: any ColumnSource) {
        numbering = CombinationNumbering([key.path], from: classID, in: source, keepsNullLinks: true)
        function = key.function
    }

    func sections(of keys: [ObjectKey]) throws -> SectionedKeys {
        places.reserveCapacity(keys.count)
        for key in keys { add(try numbering.number(of: key) ?? 0) }
        self.keys = keys
        return collected()
    }

    /// Of the matches of a scan, in creation order.
    func sections(of scan: ClassScan) throws -> SectionedKeys {
        try scan.forEachCluster { cluster, mask in
            let first = Int64(cluster.firstKey)
            try numbering.forEach(cluster, mask) { slot, number in
                keys.append(ObjectKey(first + Int64(slot)))
                add(number)
            }
        }
        return collected()
    }

    @inline(__always)
    private func add(_ number: Int) {
        while sectionOfNumber.count <= number { sectionOfNumber.append(-1) }
        var section = sectionOfNumber[number]
        if section < 0 {
            section = find(number)
            sectionOfNumber[number] = section
        }
        counts[section] += 1
        places.append(Int32(truncatingIfNeeded: section))
    }

    /// Several values may make one section key.
    private func find(_ number: Int) -> Int {
        let value = numbering.values(of: number)[0]
        let name = function?.value(of: value) ?? value
        let form = name.distinctForm
        if let known = sectionOfKey[form] { return known }
        sectionOfKey[form] = names.count
        names.append(name)
        counts.append(0)
        return names.count - 1
    }

    /// Puts the objects of each section together, in the order that they have.
    private func collected() -> SectionedKeys {
        var starts: [Int] = []
        var sections: [SectionedKeys.Section] = []
        var start = 0
        for (name, count) in zip(names, counts) {
            starts.append(start)
            sections.append(SectionedKeys.Section(key: name, range: start..<start + count))
            start += count
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
