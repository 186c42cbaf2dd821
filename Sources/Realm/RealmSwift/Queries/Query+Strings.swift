import QuerySyntax
public import Foundation
import QueryLanguage

/// Options for comparing strings in queries.
public struct StringOptions: OptionSet, Sendable {
    public let rawValue: Int8

    public init(rawValue: Int8) { self.rawValue = rawValue }

    /// Ignores the case of letters.
    public static let caseInsensitive = StringOptions(rawValue: 1)
    /// Ignores diacritics.
    public static let diacriticInsensitive = StringOptions(rawValue: 2)
}

/// Types whose values are data or strings in queries.
public protocol _QueryBinary: _QueryOrdered {}
extension Data: _QueryBinary {}
extension Optional: _QueryBinary where Wrapped: _QueryBinary {}

/// Types whose values are strings in queries.
public protocol _QueryString: _QueryBinary {}
extension String: _QueryString {}
extension AnyRealmValue: _QueryString {}
extension Optional: _QueryString where Wrapped: _QueryString {}

extension Query where T: _HasPersistedType, T.PersistedType: _QueryBinary {
    /// Whether the value contains the string or the bytes. No value contains an empty one. Options apply to strings only.
    public func contains(_ value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.contains, value, options)
    }

    /// Whether the value contains that of another property.
    public func contains<U>(_ other: Query<U>, options: StringOptions = []) -> Query<Bool> {
        compared(.contains, other, options)
    }

    /// Whether the value begins with the string or the bytes.
    public func starts(with value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.beginsWith, value, options)
    }

    /// Whether the value begins with that of another property.
    public func starts<U>(with other: Query<U>, options: StringOptions = []) -> Query<Bool> {
        compared(.beginsWith, other, options)
    }

    /// Whether the value ends with the string or the bytes.
    public func ends(with value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.endsWith, value, options)
    }

    /// Whether the value ends with that of another property.
    public func ends<U>(with other: Query<U>, options: StringOptions = []) -> Query<Bool> {
        compared(.endsWith, other, options)
    }

    /// Whether the whole value matches the pattern, in which `*` matches any characters and `?` matches one.
    public func like(_ value: T, caseInsensitive: Bool = false) -> Query<Bool> {
        compared(.like, value, caseInsensitive ? .caseInsensitive : [])
    }

    /// Whether the whole value matches the pattern in another property.
    public func like<U>(_ other: Query<U>, caseInsensitive: Bool = false) -> Query<Bool> {
        compared(.like, other, caseInsensitive ? .caseInsensitive : [])
    }

    /// Compares with `==` and options.
    public func equals(_ value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.equal, value, options)
    }

    /// Compares with another property, with `==` and options.
    public func equals<U>(_ other: Query<U>, options: StringOptions = []) -> Query<Bool> {
        compared(.equal, other, options)
    }

    /// Compares with `!=` and options.
    public func notEquals(_ value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.notEqual, value, options)
    }

    /// Compares with another property, with `!=` and options.
    public func notEquals<U>(_ other: Query<U>, options: StringOptions = []) -> Query<Bool> {
        compared(.notEqual, other, options)
    }
}
