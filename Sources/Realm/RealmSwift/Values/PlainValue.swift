import Foundation
import ObjectModel

/// A type of property whose values are one plain value in the store, or none: what most properties are. They are taken
/// from objects and from values by name without the detours that links and collections need.
protocol PlainValue: _Persistable {
    /// What is stored for an unmanaged object's property, whose wrapper lies there; nil for what is no plain value.
    static func plain(at place: UnsafeMutableRawPointer) -> Value?

    /// What is stored for a value given by name that has the property's type; nil for any other, which may fit all the same.
    static func plain(given value: Any) -> Value?

    /// What is stored when nothing is given and nothing is declared, if that is the same every time.
    static var plainDefault: Value? { get }
}

/// The same of an optional of the type.
protocol PlainInOptional: _RealmCollectionValueInsideOptional {
    static func plainOptional(at place: UnsafeMutableRawPointer) -> Value?
    static func plainOptional(given value: Any) -> Value?
}

extension PlainValue where Self: _Scalar {
    @inline(__always)
    static func plain(at place: UnsafeMutableRawPointer) -> Value? {
        place.assumingMemoryBound(to: Persisted<Self>.self).pointee.unmanaged()._scalar.value
    }

    @inline(__always)
    static func plain(given value: Any) -> Value? { (value as? Self)?._scalar.value }

    static var plainDefault: Value? { nil }
}

extension PlainInOptional where Self: _Scalar {
    @inline(__always)
    static func plainOptional(at place: UnsafeMutableRawPointer) -> Value? {
        place.assumingMemoryBound(to: Persisted<Self?>.self).pointee.unmanaged()?._scalar.value ?? .null
    }

    @inline(__always)
    static func plainOptional(given value: Any) -> Value? {
        if let value = value as? Self { return value._scalar.value }
        return value is NSNull || flattened(value) == nil ? .null : nil
    }
}

extension Optional: PlainValue where Wrapped: PlainInOptional {
    static func plain(at place: UnsafeMutableRawPointer) -> Value? { Wrapped.plainOptional(at: place) }
    static func plain(given value: Any) -> Value? { Wrapped.plainOptional(given: value) }
    static var plainDefault: Value? { .null }
}

/// A link is a plain value as long as it leads nowhere.
extension ObjectBase: PlainInOptional {
    static func plainOptional(at place: UnsafeMutableRawPointer) -> Value? {
        // A reference to an object looks the same whatever class it has.
        place.assumingMemoryBound(to: Persisted<ObjectBase?>.self).pointee.unmanaged() == nil ? .null : nil
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
