import Foundation
import ObjectModel

/// A property type whose values are one plain value in the store, or null, as most properties are. Reading them needs
/// none of the steps that links and collections need.
protocol PlainValue: _Persistable {
    /// Returns the stored form of the value in an unmanaged object's wrapper at this address; nil if it is not plain.
    static func plain(at address: UnsafeMutableRawPointer) -> Value?

    /// Returns the stored form of a value given by name if it has the property's type; nil for others, which may still
    /// fit.
    static func plain(given value: Any) -> Value?

    /// The stored form of the value of a new object without a given or declared value, if it is a constant.
    static var plainDefault: Value? { get }
}

/// A type whose optional is a `PlainValue`.
protocol PlainInOptional: _RealmCollectionValueInsideOptional {
    static func plainOptional(at address: UnsafeMutableRawPointer) -> Value?
    static func plainOptional(given value: Any) -> Value?
}

extension PlainValue where Self: _Scalar {
    @inline(__always)
    static func plain(at address: UnsafeMutableRawPointer) -> Value? {
        address.assumingMemoryBound(to: Persisted<Self>.self).pointee.unmanaged()._scalar.value
    }

    @inline(__always)
    static func plain(given value: Any) -> Value? { (value as? Self)?._scalar.value }

    static var plainDefault: Value? { nil }
}

extension PlainInOptional where Self: _Scalar {
    @inline(__always)
    static func plainOptional(at address: UnsafeMutableRawPointer) -> Value? {
        address.assumingMemoryBound(to: Persisted<Self?>.self).pointee.unmanaged()?._scalar.value ?? .null
    }

    @inline(__always)
    static func plainOptional(given value: Any) -> Value? {
        if let value = value as? Self { return value._scalar.value }
        return value is NSNull || flattened(value) == nil ? .null : nil
    }
}

extension Optional: PlainValue where Wrapped: PlainInOptional {
    static func plain(at address: UnsafeMutableRawPointer) -> Value? { Wrapped.plainOptional(at: address) }
    static func plain(given value: Any) -> Value? { Wrapped.plainOptional(given: value) }
    static var plainDefault: Value? { .null }
}

/// A null link is a plain value.
extension ObjectBase: PlainInOptional {
    static func plainOptional(at address: UnsafeMutableRawPointer) -> Value? {
        // References to objects of all classes have the same layout.
        address.assumingMemoryBound(to: Persisted<ObjectBase?>.self).pointee.unmanaged() == nil ? .null : nil
    }

    static func plainOptional(given value: Any) -> Value? { value is NSNull || flattened(value) == nil ? .null : nil }
}

extension Int: PlainValue, PlainInOptional { static var plainDefault: Value? { .int(0) } }
extension Bool: PlainValue, PlainInOptional { static var plainDefault: Value? { .bool(false) } }
extension Double: PlainValue, PlainInOptional { static var plainDefault: Value? { .double(0) } }
extension Float: PlainValue, PlainInOptional { static var plainDefault: Value? { .float(0) } }
extension String: PlainValue, PlainInOptional { static var plainDefault: Value? { .string("") } }
extension Date: PlainValue, PlainInOptional {}
extension ObjectId: PlainValue, PlainInOptional {}
extension UUID: PlainValue, PlainInOptional {}
extension Data: PlainValue, PlainInOptional { static var plainDefault: Value? { .data([]) } }
extension Decimal128: PlainValue, PlainInOptional { static var plainDefault: Value? { .decimal(.zero) } }
