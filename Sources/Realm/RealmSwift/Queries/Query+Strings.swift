public import Foundation

/// Options for comparing strings in queries.
public struct StringOptions: OptionSet, Sendable {
    public let rawValue: Int8

    public init(rawValue: Int8) { self.rawValue = rawValue }

    /// Ignores the case of letters.
    public static let caseInsensitive = StringOptions(rawValue: 1)
    /// Ignores diacritics.
    public static let diacriticInsensitive = StringOptions(rawValue: 2)

    /// The options after an operator, as in `[cd]`.
    var text: String {
        let letters = (contains(.caseInsensitive) ? "c" : "") + (contains(.diacriticInsensitive) ? "d" : "")
        return letters.isEmpty ? "" : "[\(letters)]"
    }
}

/// Types whose values are strings in queries.
public protocol _QueryString {}
extension String: _QueryString {}
extension AnyRealmValue: _QueryString {}
extension Optional: _QueryString where Wrapped: _QueryString {}

/// Types whose values are data in queries.
public protocol _QueryBinary {}
extension Data: _QueryBinary {}
extension Optional: _QueryBinary where Wrapped: _QueryBinary {}

extension Query where T: _HasPersistedType, T.PersistedType: _QueryString {
    /// Whether the value contains the string. No value contains an empty string.
    public func contains(_ value: T, options: StringOptions = []) -> Query<Bool> {
        compared("CONTAINS", value, options.text)
    }

    public func contains<U>(_ other: Query<U>, options: StringOptions = []) -> Query<Bool> {
        compared("CONTAINS", other, options.text)
    }

    /// Whether the value begins with the string.
    public func starts(with value: T, options: StringOptions = []) -> Query<Bool> {
        compared("BEGINSWITH", value, options.text)
    }

    public func starts<U>(with other: Query<U>, options: StringOptions = []) -> Query<Bool> {
        compared("BEGINSWITH", other, options.text)
    }

    /// Whether the value ends with the string.
    public func ends(with value: T, options: StringOptions = []) -> Query<Bool> {
        compared("ENDSWITH", value, options.text)
    }

    public func ends<U>(with other: Query<U>, options: StringOptions = []) -> Query<Bool> {
        compared("ENDSWITH", other, options.text)
    }

    /// Whether the whole value matches the pattern, in which `*` matches any characters and `?` matches one.
    public func like(_ value: T, caseInsensitive: Bool = false) -> Query<Bool> {
        compared("LIKE", value, caseInsensitive ? "[c]" : "")
    }

    public func like<U>(_ other: Query<U>, caseInsensitive: Bool = false) -> Query<Bool> {
        compared("LIKE", other, caseInsensitive ? "[c]" : "")
    }

    /// Compares with `==` and options.
    public func equals(_ value: T, options: StringOptions = []) -> Query<Bool> {
        compared("==", value, options.text)
    }

    public func equals<U>(_ other: Query<U>, options: StringOptions = []) -> Query<Bool> {
        compared("==", other, options.text)
    }

    /// Compares with `!=` and options.
    public func notEquals(_ value: T, options: StringOptions = []) -> Query<Bool> {
        compared("!=", value, options.text)
    }

    public func notEquals<U>(_ other: Query<U>, options: StringOptions = []) -> Query<Bool> {
        compared("!=", other, options.text)
    }
}

extension Query where T: _HasPersistedType, T.PersistedType: _QueryBinary {
    /// Whether the value contains the bytes. No value contains empty data.
    public func contains(_ value: T) -> Query<Bool> { compared("CONTAINS", value) }
    public func contains<U>(_ other: Query<U>) -> Query<Bool> { compared("CONTAINS", other) }

    /// Whether the value begins with the bytes.
    public func starts(with value: T) -> Query<Bool> { compared("BEGINSWITH", value) }
    public func starts<U>(with other: Query<U>) -> Query<Bool> { compared("BEGINSWITH", other) }

    /// Whether the value ends with the bytes.
    public func ends(with value: T) -> Query<Bool> { compared("ENDSWITH", value) }
    public func ends<U>(with other: Query<U>) -> Query<Bool> { compared("ENDSWITH", other) }

    /// Compares with `==`.
    public func equals(_ value: T) -> Query<Bool> { compared("==", value) }
    public func equals<U>(_ other: Query<U>) -> Query<Bool> { compared("==", other) }

    /// Compares with `!=`.
    public func notEquals(_ value: T) -> Query<Bool> { compared("!=", value) }
    public func notEquals<U>(_ other: Query<U>) -> Query<Bool> { compared("!=", other) }
}
