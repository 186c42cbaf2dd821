/// Conversions of a property's values to another type, for migrations: strict, so that nothing is lost silently.
extension Value {
    /// This value of property `source` as a value of property `target`; nil when it cannot be converted.
    ///
    /// - Numbers become whole numbers only when they are whole and fit; whole numbers become `float` or `double` only
    ///   when these hold them exactly; `double` is rounded to `float` unless that makes it infinite; decimals are
    ///   rounded to the nearest `double`, and binary fractions become the shortest decimal that parses as them.
    /// - `bool` and 0 or 1 convert to each other; so do a date and a number of seconds since 1970, whole ones for
    ///   `int`.
    /// - Everything but links and collections has a text, and texts are parsed back, by their whole length: numbers as
    ///   Swift writes them, dates after RFC 3339, identifiers as hex digits, `data` as the UTF-8 of the text.
    /// - `data` of 12 or 16 bytes and an object id or UUID convert to each other.
    /// - A mixed value accepts everything; it becomes another type as the value in it would. A link becomes a mixed
    ///   value's reference and back, if the class is the same and not embedded.
    /// - Lists, sets and maps are converted element by element, lists to sets and back too; a single value becomes a
    ///   list or set of it, null an empty one, unless null can be an element.
    package func converted(from source: PropertySchema, to target: PropertySchema) -> Value? {
        switch (target.type.collection, self) {
        case (.single, _):
            return convertedElement(from: source, to: target)
        case (.list, .list(let elements)), (.list, .set(let elements)):
            return Self.convertedAll(elements, from: source, to: target).map { .list($0) }
        case (.set, .list(let elements)), (.set, .set(let elements)):
            return Self.convertedAll(elements, from: source, to: target).map { .set($0) }
        case (.map, .dictionary(let map)):
            var converted: [(String, Value)] = []
            for entry in map.entries {
                guard let value = entry.value.convertedElement(from: source, to: target) else { return nil }
                converted.append((entry.key, value))
            }
            return .dictionary(ValueMap(converted))
        case (.list, .null) where !target.type.acceptsNull: return .list([])
        case (.set, .null) where !target.type.acceptsNull: return .set([])
        case (.list, _) where source.type.collection == .single:
            return convertedElement(from: source, to: target).map { .list([$0]) }
        case (.set, _) where source.type.collection == .single:
            return convertedElement(from: source, to: target).map { .set([$0]) }
        default:
            return nil
        }
    }

    private static func convertedAll(
        _ elements: [Value], from source: PropertySchema, to target: PropertySchema
    ) -> [Value]? {
        var converted: [Value] = []
        converted.reserveCapacity(elements.count)
        for element in elements {
            guard let value = element.convertedElement(from: source, to: target) else { return nil }
            converted.append(value)
        }
        return converted
    }

    private func convertedElement(from source: PropertySchema, to target: PropertySchema) -> Value? {
        switch (self, target.type.base) {
        case (.null, _):
            return target.type.acceptsNull ? .null : nil
        case (.link(let key), .mixed):
            guard !source.ownsTarget, let origin = source.targetClass else { return nil }
            return .reference(ObjectReference(origin, key))
        case (.link, .link):
            return !source.ownsTarget && !target.ownsTarget && source.targetClass == target.targetClass ? self : nil
        case (.reference(let reference), .link):
            return !target.ownsTarget && reference.classID == target.targetClass ? .link(reference.key) : nil
        case (.set(let elements), .mixed):
            return .list(elements)
        default:
            if let value = scalar(as: target.type.base), target.type.acceptsElement(value) { return value }
            return nil
        }
    }

    // MARK: Scalars

    private func scalar(as base: BaseType) -> Value? {
        switch base {
        case .bool: asBool.map { .bool($0) }
        case .int: asInt.map { .int($0) }
        case .float: asFloat.map { .float($0) }
        case .double: asDouble.map { .double($0) }
        case .decimal128: asDecimal.map { .decimal($0) }
        case .string: asText.map { .string($0) }
        case .data: asData.map { .data($0) }
        case .date: asDate.map { .date($0) }
        case .objectId: asObjectId.map { .objectId($0) }
        case .uuid: asUUID.map { .uuid($0) }
        case .mixed: self
        case .link, .linkingObjects: nil
        }
    }

    private var asBool: Bool? {
        switch self {
        case .bool(let value): value
        case .string("true"): true
        case .string("false"): false
        default: asInt.flatMap { $0 == 0 ? false : $0 == 1 ? true : nil }
        }
    }

    private var asInt: Int64? {
        switch self {
        case .int(let value): value
        case .bool(let value): value ? 1 : 0
        case .float(let value): Int64(exactly: value)
        case .double(let value): Int64(exactly: value)
        case .decimal(let value): value.exactInt64
        case .string(let text): Int64(text)
        case .date(let value): value.nanoseconds == 0 ? value.seconds : nil
        default: nil
        }
    }

    private var asDouble: Double? {
        switch self {
        case .int(let value): Double(exactly: value)
        case .bool(let value): value ? 1 : 0
        case .float(let value): Double(value)
        case .double(let value): value
        case .decimal(let value): value.isFinite && value.double.isInfinite ? nil : value.double
        case .string(let text): Self.finiteOrWord(text, Double(text))
        case .date(let value): Double(value.seconds) + Double(value.nanoseconds) / 1e9
        default: nil
        }
    }

    /// Rejects digits that parse as infinite: the number does not fit.
    private static func finiteOrWord<T: BinaryFloatingPoint>(_ text: String, _ number: T?) -> T? {
        guard let number, number.isInfinite, text.utf8.contains(where: { (48...57).contains($0) }) else {
            return number
        }
        return nil
    }

    private var asFloat: Float? {
        switch self {
        case .int(let value): Float(exactly: value)
        case .float(let value): value
        case .string(let text): Self.finiteOrWord(text, Float(text))
        default: asDouble.flatMap { Float($0).isInfinite && $0.isFinite ? nil : Float($0) }
        }
    }

    private var asDecimal: Decimal128? {
        switch self {
        case .int(let value): Decimal128(value)
        case .bool(let value): Decimal128(Int64(value ? 1 : 0))
        case .float(let value): Decimal128(value.description)
        case .double(let value): Decimal128(shortest: value)
        case .decimal(let value): value
        case .string(let text): Decimal128(text)
        default: nil
        }
    }

    /// The text of this value as a `string`; nil where it has none.
    package var asText: String? {
        switch self {
        case .bool(let value): String(value)
        case .int(let value): String(value)
        case .float(let value): value.description
        case .double(let value): value.description
        case .string(let value): value
        case .date(let value): value.rfc3339
        case .objectId(let value): value.hex
        case .uuid(let value): value.text
        case .decimal(let value): value.description
        case .data(let value): String(validating: value, as: UTF8.self)
        case .null, .link, .reference, .list, .set, .dictionary, .embedded: nil
        }
    }

    private var asData: [UInt8]? {
        switch self {
        case .data(let value): value
        case .string(let text): Array(text.utf8)
        case .objectId(let value): value.bytes
        case .uuid(let value): value.bytes
        default: nil
        }
    }

    private var asDate: Timestamp? {
        switch self {
        case .date(let value): return value
        case .string(let text): return Timestamp(rfc3339: text)
        case .int(let value): return Timestamp(seconds: value)
        case .double(let value):
            let whole = value.rounded(.down)
            guard let seconds = Int64(exactly: whole) else { return nil }
            return Timestamp(floorSeconds: seconds, fraction: Int32(((value - whole) * 1e9).rounded(.down)))
        default: return nil
        }
    }

    private var asObjectId: ObjectId? {
        switch self {
        case .objectId(let value): value
        case .string(let text): ObjectId(hex: text)
        case .data(let bytes): ObjectId(bytes: bytes)
        default: nil
        }
    }

    private var asUUID: UUIDValue? {
        switch self {
        case .uuid(let value): value
        case .string(let text): UUIDValue(text: text)
        case .data(let bytes): UUIDValue(bytes: bytes)
        default: nil
        }
    }
}

extension PropertyType {
    /// Whether any value of this type except null has a conversion to `target`; see `Value.converted(from:to:)`.
    package func isConvertible(to target: PropertyType) -> Bool {
        guard !isComputed, !target.isComputed else { return false }
        switch (collection, target.collection) {
        case (.single, .single), (.single, .list), (.single, .set), (.list, .list), (.set, .set), (.map, .map),
            (.list, .set), (.set, .list):
            return base.isConvertible(to: target.base)
        case (_, .single): return target.isMixed && !isLink
        case (.single, .map): return isMixed
        default: return false
        }
    }
}

extension BaseType {
    fileprivate func isConvertible(to target: BaseType) -> Bool {
        if self == target || self == .mixed || target == .mixed { return true }
        switch (self, target) {
        case (.link, _), (_, .link): return false
        case (.string, _), (_, .string): return true
        case (.bool, .date), (.date, .bool), (.float, .date), (.decimal128, .date), (.date, .decimal128): return false
        case (.data, .objectId), (.data, .uuid), (.objectId, .data), (.uuid, .data): return true
        case (.data, _), (.objectId, _), (.uuid, _), (_, .data), (_, .objectId), (_, .uuid): return false
        default: return true
        }
    }
}
