import JSONCoding
import ObjectModel

/// The form of one value of a file, as far as it decides the type of its property. Each value has one form, which
/// does not depend on other values.
enum ValueForm: Int, CaseIterable {
    /// A 64-bit integer that a double has exactly.
    case int
    /// A 64-bit integer that a double would round.
    case longInt
    /// An integer beyond 64 bits that decimal128 has exactly.
    case wideInt
    /// A number with a fraction or an exponent whose digits a double keeps.
    case double
    /// A number whose digits decimal128 keeps, and a double does not.
    case precise
    /// `NaN`, `Infinity` or `-Infinity`.
    case special
    /// A number with more digits than decimal128 keeps.
    case tooPrecise
    /// Digits behind a zero that is not part of a number: `01234`.
    case leadingZero
    /// A number behind a plus sign.
    case plusSign
    /// `{"$float": …}`.
    case float
    case bool
    case date
    case uuid
    /// 24 hexadecimal digits with a letter among them.
    case objectId
    /// 24 decimal digits, which are an object id only among others.
    case digits24
    case empty
    /// A string of JSON that looks like a number.
    case quotedNumber
    case text
    /// `{"$binary": …}`.
    case data
    case list
    case object
    /// A link, or another object that only a mixed value can hold.
    case mixedOnly

    /// Numbers that double or decimal128 can hold.
    static let numbers: Set<ValueForm> = [.int, .longInt, .wideInt, .double, .precise, .special]

    /// Strings of JSON.
    static let strings: Set<ValueForm> = [.date, .uuid, .objectId, .digits24, .empty, .quotedNumber, .text, .special]

    /// The values of several forms in words: `3 numbers that begin with 0`.
    var inWords: String {
        switch self {
        case .int, .longInt: "integers"
        case .wideInt: "integers beyond 64 bits"
        case .double: "numbers with a fraction or an exponent"
        case .precise: "numbers with more digits than a double keeps"
        case .special: "NaN or infinite"
        case .tooPrecise: "numbers with more digits than decimal128 keeps"
        case .leadingZero: "numbers that begin with 0"
        case .plusSign: "numbers that begin with a plus sign"
        case .float: "floats"
        case .bool: "true or false"
        case .date: "dates"
        case .uuid: "UUIDs"
        case .objectId: "object ids"
        case .digits24: "texts of 24 digits"
        case .empty: "empty texts"
        case .quotedNumber: "numbers in quotes"
        case .text: "texts"
        case .data: "binary data"
        case .list: "arrays"
        case .object: "objects"
        case .mixedOnly: "links or typed dictionaries"
        }
    }
}

extension ValueForm {
    /// The form of a CSV field that is not JSON.
    init(field text: String) {
        switch text {
        case "": self = .empty
        case "true", "TRUE", "True", "false", "FALSE", "False": self = .bool
        case "NaN", "Infinity", "-Infinity": self = .special
        default: self = Self.number(text) ?? Self.identifier(text) ?? .text
        }
    }

    /// The form of a string of JSON. One that looks like a number is still a string, because JSON has numbers.
    init(string text: String) {
        switch text {
        case "": self = .empty
        case "NaN", "Infinity", "-Infinity": self = .special
        default: self = Self.identifier(text) ?? (Self.number(text) == nil ? .text : .quotedNumber)
        }
    }

    /// The form of a number of JSON.
    init(_ value: Int64) {
        self = Int64(exactly: Double(value)) == value ? .int : .longInt
    }

    private static func identifier(_ text: String) -> ValueForm? {
        let bytes = text.utf8
        guard let first = bytes.first, bytes.count <= 64 else { return nil }
        switch bytes.count {
        case 24:
            // In upper case the text would come back in another spelling.
            if let id = ObjectId(hex: text), id.hex == text { return bytes.allSatisfy(isDigit) ? .digits24 : .objectId }
        case 36: if UUIDValue(text: text) != nil { return .uuid }
        default: break
        }
        // Not the form for dates beyond the calendar, `T1:2`, which codes and names may have.
        guard isDigit(first) || first == UInt8(ascii: "-"), bytes.count >= 10 else { return nil }
        return Timestamp(rfc3339: text) == nil ? nil : .date
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// The form of a text that is a number as JSON writes it, or with a leading zero or plus sign; nil for any other
    /// text.
    private static func number(_ text: String) -> ValueForm? {
        let scanner = NumberScanner(text)
        guard scanner.isNumber else { return nil }
        let digits24 = text.utf8.count == 24 && scanner.isPlainDigits
        if digits24 { return .digits24 }
        if scanner.hasPlus { return .plusSign }
        if scanner.hasLeadingZero { return .leadingZero }
        if scanner.isInteger {
            // -0 has a sign that an integer loses.
            if let value = Int64(text) { return text == "-0" ? .double : ValueForm(value) }
            return scanner.significantDigits <= 34 && Decimal128(text) != nil ? .wideInt : .tooPrecise
        }
        guard scanner.significantDigits <= 34, let decimal = Decimal128(text), let double = Double(text) else {
            return .tooPrecise
        }
        let isKept = double.isFinite && Decimal128(shortest: double).canonical == decimal.canonical
        // A zero that has an exponent is equal to zero.
        return isKept || decimal.isZero ? .double : .precise
    }
}

/// Scans a text for the form `[+-]digits[.digits][e[+-]digits]`.
private struct NumberScanner {
    private let bytes: [UInt8]
    private var index = 0

    private(set) var isNumber = false
    private(set) var hasPlus = false
    private(set) var hasLeadingZero = false
    private(set) var isInteger = true
    /// Without leading zeros.
    private(set) var significantDigits = 0
    var isPlainDigits: Bool { isInteger && isNumber && bytes.first.map { $0 >= 0x30 } == true }

    init(_ text: String) {
        bytes = Array(text.utf8)
        guard let first = bytes.first, bytes.count <= 8192, first < 0x3A else { return }
        hasPlus = first == UInt8(ascii: "+")
        if hasPlus || first == UInt8(ascii: "-") { index += 1 }
        let start = index
        guard digits() else { return }
        hasLeadingZero = bytes[start] == UInt8(ascii: "0") && index - start > 1
        if consume(UInt8(ascii: ".")) {
            isInteger = false
            guard digits() else { return }
        }
        if consume(UInt8(ascii: "e")) || consume(UInt8(ascii: "E")) {
            isInteger = false
            if !consume(UInt8(ascii: "-")) { _ = consume(UInt8(ascii: "+")) }
            let before = significantDigits
            guard digits() else { return }
            significantDigits = before
        }
        isNumber = index == bytes.count
    }

    private mutating func consume(_ byte: UInt8) -> Bool {
        guard index < bytes.count, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    private mutating func digits() -> Bool {
        let start = index
        while index < bytes.count, (0x30...0x39).contains(bytes[index]) {
            if significantDigits > 0 || bytes[index] != 0x30 { significantDigits += 1 }
            index += 1
        }
        return index > start
    }
}
