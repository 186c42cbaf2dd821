public import Foundation
import ObjectModel

// Implementations for the types of most properties, one by one: other modules call these directly, while an extension
// of their protocol would be called through witness tables.

extension _Scalar {
    @inline(__always)
    fileprivate static func read(_ object: ObjectBase, _ slot: Int) -> Self {
        if let value = object.cell(slot), let scalar = _scalar(_Stored(value)) { return scalar }
        return trapOnError { try _restored(_Stored(object.stored(slot)), in: nil) }
    }

    @inline(__always)
    fileprivate static func readOptional(_ object: ObjectBase, _ slot: Int) -> Self? {
        let value = object.cell(slot) ?? trapOnError { try object.stored(slot) }
        if value.isNull { return nil }
        return trapOnError { try _scalar(_Stored(value)) ?? _restored(_Stored(value), in: nil) }
    }

    @inline(__always)
    fileprivate static func write(_ object: ObjectBase, _ slot: Int, _ value: Self?) {
        trapOnError {
            let stored = value?._scalar.value ?? .null
            if try !object.assignCell(slot, stored) { try object.assign(slot) { _ in stored } }
        }
    }
}

extension Int {
    public static func _get(_ object: ObjectBase, _ slot: Int) -> Int {
        if let number = object.integerInPlace(slot) { return Int(truncatingIfNeeded: number) }
        return read(object, slot)
    }

    public static func _set(_ object: ObjectBase, _ slot: Int, _ value: Int) { write(object, slot, value) }
    public static func _getOptional(_ object: ObjectBase, _ slot: Int) -> Int? {
        if let number = object.integerInPlace(slot) { return Int(truncatingIfNeeded: number) }
        return readOptional(object, slot)
    }

    public static func _setOptional(_ object: ObjectBase, _ slot: Int, _ value: Int?) { write(object, slot, value) }
}

extension Bool {
    public static func _get(_ object: ObjectBase, _ slot: Int) -> Bool { read(object, slot) }
    public static func _set(_ object: ObjectBase, _ slot: Int, _ value: Bool) { write(object, slot, value) }
    public static func _getOptional(_ object: ObjectBase, _ slot: Int) -> Bool? { readOptional(object, slot) }
    public static func _setOptional(_ object: ObjectBase, _ slot: Int, _ value: Bool?) { write(object, slot, value) }
}

extension Double {
    public static func _get(_ object: ObjectBase, _ slot: Int) -> Double {
        object.doubleInPlace(slot) ?? read(object, slot)
    }

    public static func _set(_ object: ObjectBase, _ slot: Int, _ value: Double) { write(object, slot, value) }
    public static func _getOptional(_ object: ObjectBase, _ slot: Int) -> Double? {
        object.doubleInPlace(slot) ?? readOptional(object, slot)
    }

    public static func _setOptional(_ object: ObjectBase, _ slot: Int, _ value: Double?) { write(object, slot, value) }
}

extension Float {
    public static func _get(_ object: ObjectBase, _ slot: Int) -> Float { read(object, slot) }
    public static func _set(_ object: ObjectBase, _ slot: Int, _ value: Float) { write(object, slot, value) }
    public static func _getOptional(_ object: ObjectBase, _ slot: Int) -> Float? { readOptional(object, slot) }
    public static func _setOptional(_ object: ObjectBase, _ slot: Int, _ value: Float?) { write(object, slot, value) }
}

extension String {
    public static func _get(_ object: ObjectBase, _ slot: Int) -> String {
        object.textInPlace(slot) ?? read(object, slot)
    }

    public static func _set(_ object: ObjectBase, _ slot: Int, _ value: String) {
        // Passes the string's own bytes to the store, without a `Value`.
        let isDone = trapOnError {
            try value.utf8.withContiguousStorageIfAvailable { try object.assignCell(slot, utf8: $0) }
        }
        if isDone != true { write(object, slot, value) }
    }

    public static func _getOptional(_ object: ObjectBase, _ slot: Int) -> String? {
        object.textInPlace(slot) ?? readOptional(object, slot)
    }

    public static func _setOptional(_ object: ObjectBase, _ slot: Int, _ value: String?) { write(object, slot, value) }
}

extension Date {
    public static func _get(_ object: ObjectBase, _ slot: Int) -> Date { read(object, slot) }
    public static func _set(_ object: ObjectBase, _ slot: Int, _ value: Date) { write(object, slot, value) }
    public static func _getOptional(_ object: ObjectBase, _ slot: Int) -> Date? { readOptional(object, slot) }
    public static func _setOptional(_ object: ObjectBase, _ slot: Int, _ value: Date?) { write(object, slot, value) }
}

extension ObjectId {
    public static func _get(_ object: ObjectBase, _ slot: Int) -> ObjectId { read(object, slot) }
    public static func _set(_ object: ObjectBase, _ slot: Int, _ value: ObjectId) { write(object, slot, value) }
    public static func _getOptional(_ object: ObjectBase, _ slot: Int) -> ObjectId? { readOptional(object, slot) }
    public static func _setOptional(_ object: ObjectBase, _ slot: Int, _ value: ObjectId?) {
        write(object, slot, value)
    }
}

extension UUID {
    public static func _get(_ object: ObjectBase, _ slot: Int) -> UUID { read(object, slot) }
    public static func _set(_ object: ObjectBase, _ slot: Int, _ value: UUID) { write(object, slot, value) }
    public static func _getOptional(_ object: ObjectBase, _ slot: Int) -> UUID? { readOptional(object, slot) }
    public static func _setOptional(_ object: ObjectBase, _ slot: Int, _ value: UUID?) { write(object, slot, value) }
}

extension Data {
    public static func _get(_ object: ObjectBase, _ slot: Int) -> Data { read(object, slot) }
    public static func _set(_ object: ObjectBase, _ slot: Int, _ value: Data) { write(object, slot, value) }
    public static func _getOptional(_ object: ObjectBase, _ slot: Int) -> Data? { readOptional(object, slot) }
    public static func _setOptional(_ object: ObjectBase, _ slot: Int, _ value: Data?) { write(object, slot, value) }
}

extension Decimal128 {
    public static func _get(_ object: ObjectBase, _ slot: Int) -> Decimal128 { read(object, slot) }
    public static func _set(_ object: ObjectBase, _ slot: Int, _ value: Decimal128) { write(object, slot, value) }
    public static func _getOptional(_ object: ObjectBase, _ slot: Int) -> Decimal128? { readOptional(object, slot) }
    public static func _setOptional(_ object: ObjectBase, _ slot: Int, _ value: Decimal128?) {
        write(object, slot, value)
    }
}
