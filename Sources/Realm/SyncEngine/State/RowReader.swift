import JSONCoding
import ObjectModel

/// How the rows of a class are read: directly from their text, as long as they are written as gateways write them, with
/// the properties in the order of the class here. For all others there is the parser.
struct RowReader: Sendable {
    /// A property of the class. An object, so that passing it on is cheap.
    final class Column: Sendable {
        let property: PropertySchema
        /// The class that a single link leads to, and the type of its primary key; nil for all else.
        let target: (id: ClassID, name: String, key: PropertyType)?
        fileprivate let name: [UInt8]
        fileprivate let form: Form?

        init(_ property: PropertySchema, _ schema: Schema) {
            self.property = property
            name = Array("\"\(property.name)\"".utf8)
            let type = property.type
            if type.collection == .single, let target = property.targetClass.flatMap({ schema[$0] }),
                !target.isEmbedded, let key = target.primaryKeyProperty
            {
                self.target = (target.id, target.name, key.type)
            } else {
                target = nil
            }
            let element = Scalar(type.base)
            switch type.collection {
            case .single: form = target == nil ? element.map { .scalar($0) } : .link
            case .list: form = element.map { .list($0, type: PropertyType(type.base, isOptional: type.isOptional)) }
            case .set, .map: form = nil
            }
        }
    }

    fileprivate enum Form {
        case scalar(Scalar)
        case list(Scalar, type: PropertyType)
        case link
    }

    /// How a value of a type is written.
    fileprivate enum Scalar {
        case bool, int, double
        /// A string, which may stand for a value of another type.
        case string

        init?(_ type: BaseType) {
            switch type {
            case .bool: self = .bool
            case .int: self = .int
            case .double: self = .double
            case .string, .data, .date, .objectId, .uuid, .decimal128: self = .string
            case .float, .mixed, .link, .linkingObjects: return nil
            }
        }
    }

    private let columns: [Column]
    private let columnsByName: [String: Column]
    /// Whether all properties have a form that it reads.
    private let canRead: Bool

    init(_ objectClass: ClassSchema, _ schema: Schema) {
        columns = objectClass.storedProperties.map { Column($0, schema) }
        columnsByName = Dictionary(uniqueKeysWithValues: columns.map { ($0.property.name, $0) })
        canRead = columns.allSatisfy { $0.form != nil }
    }

    /// Returns the stored property with a name.
    func column(_ name: String) -> Column? { columnsByName[name] }

    /// A link that a row has.
    struct Link {
        let column: Column
        let json: JSONValue
    }

    /// Reads a row. Returns false, after having read some of it, if its text has another form, or a value that does not
    /// fit its type.
    func read(_ text: RowText, _ values: inout PropertyValues, _ links: inout [Link]) -> Bool {
        guard canRead else { return false }
        var scan = text.scan
        guard scan.take(UInt8(ascii: "{")) else { return false }
        for (index, column) in columns.enumerated() {
            guard index == 0 || scan.take(UInt8(ascii: ",")), scan.take(column.name), scan.take(UInt8(ascii: ":")),
                let form = column.form
            else { return false }
            switch form {
            case .scalar(let scalar):
                guard let value = Self.scalar(scalar, column.property.type, &scan) else { return false }
                values[column.property.id] = value
            case .list(let scalar, let type):
                guard let elements = Self.list(scalar, type, &scan) else { return false }
                values[column.property.id] = .list(elements)
            case .link:
                if scan.takeNull() {
                    values[column.property.id] = .null
                } else if let key = scan.shortInteger() {
                    links.append(Link(column: column, json: .int(key)))
                } else if let key = scan.plainString() {
                    links.append(Link(column: column, json: .string(key)))
                } else {
                    return false
                }
            }
        }
        return scan.take(UInt8(ascii: "}")) && scan.isAtEnd
    }

    private static func scalar(_ scalar: Scalar, _ type: PropertyType, _ scan: inout TextScan) -> Value? {
        if scan.takeNull() { return type.isOptional ? .null : nil }
        switch scalar {
        case .bool: return scan.bool().map { .bool($0) }
        case .int: return scan.shortInteger().map { .int($0) }
        case .double: return scan.shortNumber().map { .double($0) }
        case .string:
            guard let string = scan.plainString() else { return nil }
            return type.base == .string ? .string(string) : try? ValueCoding.decode(.string(string), as: type)
        }
    }

    private static func list(_ scalar: Scalar, _ type: PropertyType, _ scan: inout TextScan) -> [Value]? {
        guard scan.take(UInt8(ascii: "[")) else { return nil }
        var elements: [Value] = []
        if scan.take(UInt8(ascii: "]")) { return elements }
        while true {
            guard let value = self.scalar(scalar, type, &scan) else { return nil }
            elements.append(value)
            if scan.take(UInt8(ascii: "]")) { return elements }
            guard scan.take(UInt8(ascii: ",")) else { return nil }
        }
    }
}

extension TextScan {
    /// Moves past these bytes if they come next.
    fileprivate mutating func take(_ text: [UInt8]) -> Bool {
        takes(text.count) { bytes in
            for (index, byte) in text.enumerated() where bytes[index] != byte { return false }
            return true
        }
    }

    fileprivate mutating func takeNull() -> Bool {
        takes(4) {
            $0[0] == UInt8(ascii: "n") && $0[1] == UInt8(ascii: "u") && $0[2] == UInt8(ascii: "l")
                && $0[3] == UInt8(ascii: "l")
        }
    }

    fileprivate mutating func bool() -> Bool? {
        if take(Self.trueText) { return true }
        return take(Self.falseText) ? false : nil
    }

    private static let trueText = [UInt8]("true".utf8)
    private static let falseText = [UInt8]("false".utf8)

    /// Reads a string without escapes, and moves past it; nil for everything else.
    fileprivate mutating func plainString() -> String? {
        reads { bytes in
            guard bytes.first == UInt8(ascii: "\"") else { return nil }
            var end = 1
            while end < bytes.count, bytes[end] != UInt8(ascii: "\"") {
                guard bytes[end] != UInt8(ascii: "\\"), bytes[end] >= 0x20 else { return nil }
                end += 1
            }
            guard end < bytes.count else { return nil }
            let content = UnsafeBufferPointer(rebasing: bytes[1..<end])
            return String(validating: content, as: UTF8.self).map { ($0, end + 1) }
        }
    }

    /// Reads a decimal number of at most 15 digits without an exponent, and moves past it; nil for everything else. Both
    /// parts of its fraction are exact, so its quotient is rounded as a parser does.
    fileprivate mutating func shortNumber() -> Double? {
        reads { bytes in
            var (index, number, digits) = (0, UInt64(0), 0)
            let isNegative = bytes.first == UInt8(ascii: "-")
            if isNegative { index = 1 }
            let first = index
            func readDigits() {
                while index < bytes.count, digits < 16 {
                    let digit = bytes[index] &- UInt8(ascii: "0")
                    guard digit < 10 else { return }
                    number = number * 10 + UInt64(digit)
                    digits += 1
                    index += 1
                }
            }
            readDigits()
            guard digits > 0, digits == 1 || bytes[first] != UInt8(ascii: "0") else { return nil }
            var fraction = 0
            if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
                index += 1
                fraction = digits
                readDigits()
                fraction = digits - fraction
                guard fraction > 0 else { return nil }
            }
            guard digits < 16, index < bytes.count, Self.endsNumber(bytes[index]) else { return nil }
            // A parser reads it as an integer, which has no sign.
            guard !isNegative || number > 0 || fraction > 0 else { return nil }
            let value = Double(number) / Self.powers[fraction]
            return (isNegative ? -value : value, index)
        }
    }

    private static let powers: [Double] = (0..<16).map { power in (0..<power).reduce(1.0) { value, _ in value * 10 } }
}
