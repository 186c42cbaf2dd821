import Foundation
import ObjectModel
import QueryOperators
import QueryLanguage

/// Converts the result of an aggregate to the requested type.
enum AggregateConversion {
    /// Throws if the type cannot represent the number.
    static func converted<T>(_ value: Value, to type: T.Type, in realm: RLMRealm?) throws -> T {
        if let optional = type as? any OptionalProtocol.Type {
            func wrapped<O: OptionalProtocol>(_: O.Type) throws -> Any {
                if value.isNull { return O._wrap(nil) }
                return O._wrap(try converted(value, to: O.Wrapped.self, in: realm))
            }
            if let result = try wrapped(optional) as? T { return result }
        }
        if type is NSObject.Type, let result = value.foundation as? T { return result }
        if let integer = type as? any _StoredInteger.Type {
            if let result = try number(value, integer) as? T { return result }
        } else if let stored = type as? any _Storable.Type,
            let fitted = fitted(value, to: stored._storedType.type.base)
        {
            func restored<S: _Storable>(_: S.Type) throws -> Any { try S._restored(_Stored(fitted), in: realm) }
            do {
                if let result = try restored(stored) as? T { return result }
            } catch let error as Unrepresentable {
                throw RealmException(error.message)
            }
        }
        throw unfit(value, type)
    }

    /// Converts a decimal to the nearest number of another type.
    private static func fitted(_ value: Value, to base: BaseType) -> Value? {
        if let fitted = Conversion.fitted(value, to: base) { return fitted }
        switch (value, base) {
        case (.decimal(let number), .double): return .double(number.double)
        case (.decimal(let number), .float): return .float(Float(number.double))
        default: return nil
        }
    }

    /// Converts to a narrow integer, if the value fits.
    private static func number<I: _StoredInteger>(_ value: Value, _: I.Type) throws -> I {
        let isNarrow = I.self != Int.self && I.self != Int64.self
        switch value {
        case .int(let number): return I(truncatingIfNeeded: number)
        case .float, .double, .decimal:
            let number = value.number
            if let exact = Int64(exactly: number) { return I(truncatingIfNeeded: exact) }
            if isNarrow, let whole = Int64(exactly: number.rounded(.towardZero)) {
                return I(truncatingIfNeeded: whole)
            }
        default: break
        }
        throw unfit(value, I.self)
    }

    private static func unfit(_ value: Value, _ type: Any.Type) -> RealmException {
        RealmException("Could not convert value '\(value.text)' to type '\(type)'")
    }
}

extension Value {
    /// The value as a Foundation class, if one is requested.
    fileprivate var foundation: Any? {
        switch self {
        case .int(let number): NSNumber(value: number)
        case .float(let number): NSNumber(value: number)
        case .double(let number): NSNumber(value: number)
        case .decimal(let number): NSDecimalNumber(string: number.description)
        case .date(let time): NSDate(timeIntervalSinceReferenceDate: Date(time).timeIntervalSinceReferenceDate)
        default: nil
        }
    }

    fileprivate var number: Double {
        switch self {
        case .float(let number): Double(number)
        case .double(let number): number
        case .decimal(let number): number.double
        default: .nan
        }
    }
}

extension [Value] {
    /// Returns the aggregate of values of one type.
    func aggregate(_ function: AggregateRequest.Function, of base: BaseType) -> Value {
        var state = AggregateState(function, of: base)
        for value in self { state.add(value) }
        return state.result
    }
}
