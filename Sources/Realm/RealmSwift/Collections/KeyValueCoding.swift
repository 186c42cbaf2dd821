import Foundation
import ObjectModel

/// A collection that supports key-value coding.
protocol KeyValueElements {
    /// The elements; `KeyValuePath.null` for null.
    var keyValueElements: [Any] { get }

    /// Returns the type of a property of the elements or, for `self`, of the elements; nil if it is not known
    /// statically.
    func keyValueType(of key: String) -> StoredType?

    /// Returns the class and name of a property of the elements or, for `self`, of the collection; nil if they are not
    /// known.
    func keyValueName(of key: String) -> String?
}

extension KeyValueElements {
    /// Returns the property's value of each element or, for `self`, the elements.
    func keyValue(_ key: String) throws -> Any? {
        if key.hasPrefix("@") { return try KeyValuePath.value(at: key, of: self) }
        let elements = keyValueElements
        if key == "self" { return elements }
        return try elements.map { try KeyValuePath.value(of: key, in: $0) ?? KeyValuePath.null }
    }
}

/// Returns the class and name of a property of the elements or, for `self`, of the collection.
func keyValueName<Element: _Storable>(of key: String, in: Element.Type, _ accessor: (any CollectionAccessor)?)
    -> String?
{
    if let linked = Element._storedType.linked { return "\(linked.className()).\(key)" }
    guard let property = accessor as? PropertyAccessor, let owner = property.realm.models[property.owner.classID] else {
        return nil
    }
    return "\(owner.name).\(property.property.name)"
}

/// Returns the type of a property by its name.
func keyValueType<Element: _Storable>(of key: String, in: Element.Type) -> StoredType? {
    let stored = Element._storedType
    if key == "self" { return stored.type.element }
    guard let linked = stored.linked, !(linked is DynamicObject.Type), let model = try? ClassModel.of(linked) else {
        return nil
    }
    return model.slot(of: key).map { model.properties[$0].type }
}

extension RealmCollectionImpl {
    var keyValueElements: [Any] { map { KeyValuePath.plain($0) } }

    func keyValueType(of key: String) -> StoredType? { RealmSwift.keyValueType(of: key, in: Element.self) }

    func keyValueName(of key: String) -> String? { RealmSwift.keyValueName(of: key, in: Element.self, accessor) }

    public func value(forKey key: String) -> Any? {
        if key == KeyValuePath.invalidated { return isInvalidated }
        return trapOnError { try ofOwnKind(keyValue(key)) }
    }

    public func value(forKeyPath keyPath: String) -> Any? {
        trapOnError {
            let value = try KeyValuePath.value(at: keyPath, of: self)
            return keyPath.contains("@") ? value : ofOwnKind(value)
        }
    }

    /// Returns the values of a set as a set, which casts to sets of their type and to `NSSet`, and other values
    /// unchanged.
    private func ofOwnKind(_ value: Any?) -> Any? {
        guard self is any _SetOfValues, let values = value as? [Any] else { return value }
        return Set(values.map { ($0 as? AnyHashable) ?? AnyHashable(String(describing: $0)) })
    }

    /// Returns what `value(forKey:)` does, which must be an array.
    func keyValues(_ key: String) throws -> [AnyObject] { try KeyValuePath.array(keyValue(key), key) }

    /// Returns what `value(forKeyPath:)` does, which must be an array.
    func keyValues(at path: String) throws -> [AnyObject] {
        try KeyValuePath.array(KeyValuePath.value(at: path, of: self), path)
    }

    public func setValue(_ value: Any?, forKey key: String) { trapOnError { try setKeyValue(value, key) } }

    /// Assigns a property of each present element.
    func setKeyValue(_ value: Any?, _ key: String) throws {
        if let accessor {
            _ = try accessor.realm.writing("Cannot modify managed \(accessor.kindName) outside of a write transaction.")
        }
        for element in self {
            guard let object = flattened(element) as? ObjectBase else { throw KeyValuePath.unknown(key, in: element) }
            guard let slot = object.slotIfKnown(of: key) else {
                object.setValue(value, forUndefinedKey: key)
                continue
            }
            if let property = object._class?.properties[slot], property.isPrimaryKey {
                throw RealmException(
                    "Primary key can't be changed to '\(value.map { "\($0)" } ?? "nil")' after an object is inserted.")
            }
            try object.setDynamicValue(slot, value)
        }
    }
}

extension Map: KeyValueElements {
    var keyValueElements: [Any] { values.map { KeyValuePath.plain($0) } }

    func keyValueType(of key: String) -> StoredType? { RealmSwift.keyValueType(of: key, in: Value.self) }

    func keyValueName(of key: String) -> String? { RealmSwift.keyValueName(of: key, in: Value.self, accessor) }
}

/// Dotted key paths, which lead through objects and collections.
enum KeyValuePath {
    /// Null as an element of an array. It is an `NSNull`, and casts to the nil of any optional type, as on Apple's
    /// platforms; an `NSNull` that is created in the usual way does not on Linux.
    nonisolated(unsafe) static let null = Optional<Any>.none as AnyObject

    /// The key of `isInvalidated`.
    static let invalidated = "invalidated"

    static func value(at path: String, of subject: Any) throws -> Any? { try value(at: path[...], of: subject) }

    private static func value(at path: Substring, of subject: Any) throws -> Any? {
        if path.first == "@" { return try operation(path, subject) }
        let key = path.prefix { $0 != "." }
        guard !key.isEmpty else { throw RealmException("Invalid key path '\(path)': missing property name.") }
        let next = try value(of: String(key), in: subject)
        let rest = path.dropFirst(key.count)
        guard let next, !rest.isEmpty else { return next }
        if next is NSNull { return nil }
        return try value(at: rest.dropFirst(), of: next)
    }

    /// Evaluates one step; nil for null.
    static func value(of key: String, in subject: Any) throws -> Any? {
        switch subject {
        case is NSNull: return nil
        case let object as ObjectBase:
            if key == "self" { return object }
            if key == invalidated, object.slotIfKnown(of: key) == nil { return object.isInvalidated }
            guard let slot = object.slotIfKnown(of: key) else {
                return object.value(forUndefinedKey: key).flatMap { flattened($0) }
            }
            return object.namedValue(slot)
        case let map as any RealmKeyedCollection: return map.value(forKey: key)
        case let collection as any KeyValueElements: return try collection.keyValue(key)
        case let values as [Any]: return try values.map { try value(of: key, in: $0) ?? null }
        default: throw unknown(key, in: subject)
        }
    }

    /// Throws for a value that is not an array.
    static func array(_ value: Any?, _ path: String) throws -> [AnyObject] {
        guard let values = value as? [Any] else {
            throw RealmException("The value of '\(path)' is not an array: request it as 'Any?'.")
        }
        return values.map { $0 as AnyObject }
    }

    static func unknown(_ key: String, in subject: Any) -> RealmException {
        RealmException("Values of type '\(type(of: subject))' have no member '\(key)'.")
    }

    /// Returns an element or a property's value for key-value coding: `null` for null, the content of a mixed value,
    /// the raw value of an enum, and the persisted value of a custom type. Numbers are of `NSNumber`, which casts to
    /// every type of number that can hold the value, whatever the declared type is.
    static func plain(_ value: Any) -> Any {
        guard let value = flattened(value) else { return null }
        switch value {
        case is String, is ObjectBase: return value
        case let mixed as AnyRealmValue: return mixed.content.map(number) ?? null
        case let value as any PersistableEnum: return number(value.rawValue)
        case let value as any _CustomPersistable: return plain(value.persistableValue)
        default: return number(value)
        }
    }

    /// Returns a number or Boolean as `NSNumber`, and other values unchanged.
    static func number(_ value: Any) -> Any { value as? NSNumber ?? value }

    // MARK: Operators

    private static func operation(_ path: Substring, _ subject: Any) throws -> Any? {
        let name = path.prefix { $0 != "." }
        let key = path.dropFirst(name.count + 1)
        let elements: [Any]
        switch subject {
        case let collection as any KeyValueElements: elements = collection.keyValueElements
        case let values as [Any]: elements = values
        default: throw RealmException("Operator '\(name)' applies to collections, not to '\(type(of: subject))'.")
        }
        if name == "@count" {
            guard key.isEmpty else {
                throw RealmException("Operator '@count' does not accept a key path, as in '\(path)'.")
            }
            return number(elements.count)
        }
        guard let known = Operator(rawValue: String(name)) else {
            throw RealmException("Unsupported KVC collection operator found in key path '\(path)'")
        }
        guard !key.isEmpty else {
            throw RealmException(
                "Missing key path for KVC collection operator \(name.dropFirst()) in key path '\(path)'")
        }
        guard !key.contains("."), key.first != "@" else {
            throw RealmException("Nested key paths are not supported yet for KVC collection operators.")
        }
        let values: [Any]
        if key == "self" {
            values = elements
        } else {
            values = try elements.map { try value(of: String(key), in: $0) ?? null }
        }
        let collection = subject as? any KeyValueElements
        return try known.result(values.filter { !($0 is NSNull) }, collection?.keyValueType(of: String(key))) {
            let kind = key == "self" ? (subject as? any _QueryKind)?.queryKind : nil
            return (kind, collection?.keyValueName(of: String(key)))
        }
    }

    private enum Operator: String {
        case min = "@min"
        case max = "@max"
        case sum = "@sum"
        case average = "@avg"
        case union = "@unionOfObjects"
        case distinctUnion = "@distinctUnionOfObjects"
        case arrays = "@unionOfArrays"
        case distinctArrays = "@distinctUnionOfArrays"

        /// - Parameter subject: the kind of the collection, if its own elements are meant, and the name of the property.
        func result(
            _ values: [Any], _ type: StoredType?, of subject: () -> (CollectionKind?, String?)
        ) throws -> Any? {
            switch self {
            case .union: return values
            case .distinctUnion: return KeyValuePath.distinct(values)
            case .arrays: return KeyValuePath.joined(values)
            case .distinctArrays: return KeyValuePath.distinct(KeyValuePath.joined(values))
            case .min, .max, .sum, .average: break
            }
            if let type { try check(type, subject) }
            let pairs = values.compactMap { value in Conversion.natural(value).map { (value, $0) } }.filter {
                !$0.1.isNaN
            }
            switch self {
            case .min: return pairs.min { Value.order($0.1, $1.1) < 0 }?.0
            case .max: return pairs.min { Value.order($0.1, $1.1) > 0 }?.0
            case .sum: return number(Total(pairs.map(\.1), type).sum)
            default: return Total(pairs.map(\.1), type).average.map(number)
            }
        }

        private func check(_ type: StoredType, _ subject: () -> (CollectionKind?, String?)) throws {
            let isAllowed: Bool
            switch type.base {
            case .int, .float, .double, .decimal128, .mixed: isAllowed = type.collection == .single
            case .date: isAllowed = type.collection == .single && (self == .min || self == .max)
            default: isAllowed = false
            }
            guard isAllowed else {
                let (kind, name) = subject()
                var type = type
                if let kind { type.collection = kind }
                throw RealmException(
                    "Operation '\(self == .average ? "average" : String(rawValue.dropFirst()))' not supported for \(type.described)"
                        + (name.map { " '\($0)'" } ?? ""))
            }
        }
    }

    /// A sum of numbers, in the type of the result: Int for Int, Double for Float and Double, else Decimal128.
    private struct Total {
        private var int: Int64 = 0
        private var double = 0.0
        private var decimal = StoredDecimal.zero
        private var count = 0
        private let kind: BaseType

        init(_ values: [Value], _ type: StoredType?) {
            var kind = type?.base ?? .int
            for value in values {
                switch value {
                case .int(let number):
                    int &+= number
                    double += Double(number)
                    decimal = decimal + StoredDecimal(number)
                case .float(let number):
                    if type == nil { kind = .double }
                    double += Double(number)
                    decimal = decimal + StoredDecimal(number)
                case .double(let number):
                    if type == nil { kind = .double }
                    double += number
                    decimal = decimal + StoredDecimal(shortest: number)
                case .decimal(let number):
                    if type == nil { kind = .decimal128 }
                    decimal = decimal + number
                default: continue
                }
                count += 1
            }
            self.kind = kind
        }

        var sum: Any {
            switch kind {
            case .int: Int(int)
            case .float, .double: double
            default: Decimal128(raw: decimal.reduced)
            }
        }

        var average: Any? {
            guard count > 0 else { return nil }
            switch kind {
            case .int, .float, .double: return double / Double(count)
            default: return Decimal128(raw: (decimal / StoredDecimal(Int64(count))).reduced)
            }
        }
    }

    private static func distinct(_ values: [Any]) -> [Any] {
        var seen: Set<AnyHashable> = []
        return values.filter { value in
            if let object = value as? ObjectBase, let reference = object._objectReference {
                return seen.insert(AnyHashable(reference)).inserted
            }
            guard let value = value as? AnyHashable else { return true }
            return seen.insert(value).inserted
        }
    }

    private static func joined(_ values: [Any]) -> [Any] {
        values.flatMap { value -> [Any] in
            switch value {
            case let collection as any KeyValueElements: collection.keyValueElements
            case let values as [Any]: values
            default: [value]
            }
        }
    }
}
