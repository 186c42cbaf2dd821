import Basics

/// The values of some properties of an object, in the order of the properties' numbers.
///
/// Most objects give their properties in that order, so a value is appended, and a reader that follows the columns of
/// a class finds each value at the next position, without a hash.
package struct PropertyValues: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        package let key: PropertyID
        package fileprivate(set) var value: Value
    }

    @usableFromInline var entries: [Entry] = []

    package init() {}

    package init(_ values: [PropertyID: Value]) {
        entries = values.map { Entry(key: $0.key, value: $0.value) }
        entries.sort { $0.key < $1.key }
    }

    package mutating func reserveCapacity(_ count: Int) { entries.reserveCapacity(count) }

    /// The value of a property; nil if it has none here. Cost: logarithmic; constant for assigning one whose number is
    /// above all others.
    package subscript(id: PropertyID) -> Value? {
        get { position(of: id).map { entries[$0].value } }
        set {
            guard let newValue else {
                if let index = position(of: id) { entries.remove(at: index) }
                return
            }
            if entries.isEmpty || entries[entries.count - 1].key < id {
                return entries.append(Entry(key: id, value: newValue))
            }
            let index = firstIndex(from: id)
            if entries[index].key == id {
                entries[index].value = newValue
            } else {
                entries.insert(Entry(key: id, value: newValue), at: index)
            }
        }
    }

    /// The position of the property; nil if it has no value here.
    package func position(of id: PropertyID) -> Int? {
        let index = firstIndex(from: id)
        return index < entries.count && entries[index].key == id ? index : nil
    }

    /// The position of the first entry that is not below a property.
    private func firstIndex(from id: PropertyID) -> Int {
        entries.partitioningIndex { $0.key >= id }
    }

    package var dictionary: [PropertyID: Value] {
        var values = [PropertyID: Value](minimumCapacity: entries.count)
        for entry in entries { values[entry.key] = entry.value }
        return values
    }
}

extension PropertyValues: RandomAccessCollection {
    @inlinable
    package var startIndex: Int { 0 }
    @inlinable
    package var endIndex: Int { entries.count }
    @inlinable
    package subscript(position: Int) -> Entry { entries[position] }
}
