import ObjectModel
import QueryLanguage
import StoreContract

/// Divides ordered objects into sections.
struct SectionBuilder {
    private let reader: PathReader
    private let function: SectionKey.Function?

    init(_ key: SectionKey, on classID: ClassID, in source: any ColumnSource) {
        reader = PathReader(key.path, from: classID, in: source)
        function = key.function
    }

    func sections(of keys: [ObjectKey]) throws -> SectionedKeys {
        var numbers: [Value: Int] = [:]
        var names: [Value] = []
        var counts: [Int] = []
        var places: [Int] = []
        places.reserveCapacity(keys.count)
        for key in keys {
            let found = try reader.single(key) ?? .null
            let value = function?.value(of: found) ?? found
            let form = value.distinctForm
            let number: Int
            if let known = numbers[form] {
                number = known
            } else {
                number = names.count
                numbers[form] = number
                names.append(value)
                counts.append(0)
            }
            counts[number] += 1
            places.append(number)
        }
        return Self.collected(keys, places, names, counts)
    }

    /// Puts the objects of each section together, in the order that they have.
    static func collected(_ keys: [ObjectKey], _ places: [Int], _ names: [Value], _ counts: [Int]) -> SectionedKeys {
        var starts: [Int] = []
        var sections: [SectionedKeys.Section] = []
        var start = 0
        for (name, count) in zip(names, counts) {
            starts.append(start)
            sections.append(SectionedKeys.Section(key: name, range: start..<start + count))
            start += count
        }
        let sorted = [ObjectKey](unsafeUninitializedCapacity: keys.count) { buffer, count in
            for (key, place) in zip(keys, places) {
                buffer.initializeElement(at: starts[place], to: key)
                starts[place] += 1
            }
            count = keys.count
        }
        return SectionedKeys(sections: sections, keys: sorted)
    }
}
