package import ObjectModel
import StoreContract
import Synchronization

/// The values of one delta that many queries of one class read, read only once.
final class DeltaValueCache: Sendable {
    fileprivate struct Address: Hashable {
        let classID: ClassID
        let key: ObjectKey
        let property: PropertyID
        let isAfter: Bool
    }

    private struct State {
        /// The first values, which are all there are for a small delta: a linear search is quicker than hashing.
        var first: [(address: Address, value: Value)] = []
        var values: [Address: Value] = [:]

        subscript(address: Address) -> Value? {
            for known in first where known.address == address { return known.value }
            return values.isEmpty ? nil : values[address]
        }
    }

    private static let maximumFirst = 12
    /// Values beyond this number are not cached.
    private static let maximumValues = 1_024

    private let state = Mutex(State())

    fileprivate func value(_ address: Address, read: () throws -> Value) rethrows -> Value {
        if let known = state.withLock({ $0[address] }) { return known }
        let value = try read()
        state.withLock { state in
            if state.first.count < Self.maximumFirst {
                state.first.append((address, value))
            } else if state.values.count < Self.maximumValues {
                state.values[address] = value
            }
        }
        return value
    }
}

extension VersionDelta {
    /// A value of an object that exists before the delta.
    package func valueBefore(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Value {
        try valueCache.value(.init(classID: classID, key: key, property: property, isAfter: false)) {
            try before.value(classID, key, property)
        }
    }

    /// A value of an object that exists after the delta.
    package func valueAfter(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Value {
        try valueCache.value(.init(classID: classID, key: key, property: property, isAfter: true)) {
            try after.value(classID, key, property)
        }
    }
}
