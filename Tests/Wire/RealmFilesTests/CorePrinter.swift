import Foundation
import ObjectModel
import RealmFiles

/// Prints a file as realm-core prints it: not quite JSON, and byte for byte the same.
struct CorePrinter {
    private let file: RealmFile
    private let tables: [UInt32: RealmTable]
    private let objects: [UInt32: [RealmObject]]
    private let indices: [UInt32: [Int64: Int]]
    private var text = ""

    static func document(_ file: RealmFile) throws -> [UInt8] {
        var printer = try CorePrinter(file)
        try printer.writeDocument()
        return Array(printer.text.utf8)
    }

    private init(_ file: RealmFile) throws {
        self.file = file
        tables = Dictionary(uniqueKeysWithValues: file.tables.map { ($0.key, $0) })
        var objects: [UInt32: [RealmObject]] = [:]
        for table in file.tables {
            objects[table.key] = []
            try file.forEachObject(of: table) { objects[table.key]?.append($0) }
        }
        self.objects = objects
        indices = objects.mapValues { rows in
            Dictionary(uniqueKeysWithValues: rows.enumerated().map { ($1.key, $0) })
        }
    }

    private mutating func writeDocument() throws {
        text = "{\n"
        var isFirst = true
        for table in file.tables where table.kind != .embedded {
            text += (isFirst ? "" : ",") + "\"\(table.className ?? table.name)\":["
            isFirst = false
            try writeList(objects[table.key] ?? []) { try $0.write($1, of: table) }
            text += "]\n"
        }
        text += "}\n"
    }

    private mutating func writeList<Element>(
        _ elements: [Element], _ body: (inout CorePrinter, Element) throws -> Void
    ) rethrows {
        for (index, element) in elements.enumerated() {
            if index > 0 { text += "," }
            try body(&self, element)
        }
    }

    private mutating func write(_ object: RealmObject, of table: RealmTable) throws {
        text += "{"
        try writeList(Array(zip(table.columns, object.values))) { printer, member in
            printer.text += "\"\(member.0.name)\":"
            try printer.write(member.1, of: member.0)
        }
        text += "}"
    }

    private mutating func write(_ value: RealmValue, of column: RealmColumn) throws {
        let isLink = column.type == .link
        switch (value, column.collection) {
        // realm-core sorts the sets of older files when it opens them.
        case (.list(let elements), .set) where file.format < 24:
            let sorted = isLink ? elements : elements.sorted { Value.order(Self.ordered($0), Self.ordered($1)) < 0 }
            try write(.list(sorted), isLink: isLink)
        default:
            // The values of a map of links are printed as mixed ones, unless they are embedded.
            try write(value, isLink: isLink)
        }
    }

    private mutating func write(_ value: RealmValue, isLink: Bool) throws {
        switch value {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .int(let value): text += "{\"$numberLong\": \"\(value)\"}"
        case .float(let value): text += number(Double(value), digits: 7)
        case .double(let value): text += number(value, digits: 16)
        case .string(let value): writeString(value)
        case .binary(let bytes): writeBinary(bytes, subtype: "00")
        case .timestamp(let seconds, let nanoseconds):
            text += "{\"$date\": {\"$numberLong\": \"\(seconds * 1000 + Int64(nanoseconds) / 1_000_000)\"}}"
        case .decimal(let value): text += "{\"$numberDecimal\": \"\(Self.text(value))\"}"
        case .objectID(let value): text += "{\"$oid\": \"\(value.hex)\"}"
        case .uuid(let value): writeBinary(value.bytes, subtype: "04")
        case .link(let table, let key): try writeLink(table, key, isPlain: isLink)
        case .list(let elements):
            text += "["
            try writeList(elements) { try $0.write($1, isLink: isLink) }
            text += "]"
        case .map(let entries):
            text += "{"
            try writeList(entries) { printer, entry in
                switch entry.key {
                case .int(let key): printer.text += "\(key):"
                case .string(let key): printer.text += "\"\(key)\":"
                default: throw Unprintable()
                }
                try printer.write(entry.value, isLink: isLink)
            }
            text += "}"
        }
    }

    private struct Unprintable: Error {}

    private mutating func writeLink(_ key: UInt32, _ object: Int64, isPlain: Bool) throws {
        guard let table = tables[key], let index = indices[key]?[object], let row = objects[key]?[index] else {
            throw Unprintable()
        }
        if table.kind == .embedded {
            try write(row, of: table)
            return
        }
        if !isPlain { text += "{ \"$link\": {\"table\": \"\(table.className ?? table.name)\", \"key\": " }
        if let primaryKey = table.primaryKey {
            try write(row.values[primaryKey], isLink: false)
        } else {
            text += "\(object)"
        }
        if !isPlain { text += "}}" }
    }

    private mutating func writeString(_ value: String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\u{8}": text += "\\b"
            case "\u{C}": text += "\\f"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }

    private mutating func writeBinary(_ bytes: [UInt8], subtype: String) {
        text += "{\"$binary\": {\"base64\": \"\(Data(bytes).base64EncodedString())\", \"subType\": \"\(subtype)\"}}"
    }

    private func number(_ value: Double, digits: Int) -> String {
        let shown = value.isNaN ? "nan" : String(format: "%.\(digits)e", value)
        return "{\"$numberDouble\": \"\(shown)\"}"
    }

    /// The digits with a point after the first or a later one, so that the exponent becomes zero if it can.
    private static func text(_ value: Decimal128) -> String {
        let sign = value.isNegative ? "-" : ""
        if value.isNaN { return sign + "NaN" }
        if value.isInfinite { return sign + "Inf" }
        let upper = value.high & 0x0001_FFFF_FFFF_FFFF
        let digits = String(UInt128(upper) << 64 | UInt128(value.low))
        var exponent = Int(value.high >> 49 & 0x3FFF) - 6176
        if upper != 0 {
            return (value.isNegative ? "-" : "+") + digits + "E" + (exponent < 0 ? "" : "+") + "\(exponent)"
        }
        var before = digits.count
        while before > 1, exponent != 0 {
            before -= 1
            exponent += 1
        }
        let fraction = before < digits.count ? "." + digits.dropFirst(before) : ""
        return sign + digits.prefix(before) + fraction + (exponent == 0 ? "" : "E\(exponent)")
    }

    /// The value in the type that has an order.
    private static func ordered(_ value: RealmValue) -> Value {
        switch value {
        case .null: .null
        case .bool(let value): .bool(value)
        case .int(let value): .int(value)
        case .float(let value): .float(value)
        case .double(let value): .double(value)
        case .string(let value): .string(value)
        case .binary(let value): .data(value)
        case .timestamp(let seconds, let nanoseconds):
            .date(Timestamp(seconds: seconds, nanoseconds: nanoseconds) ?? .epoch)
        case .decimal(let value): .decimal(value)
        case .objectID(let value): .objectId(value)
        case .uuid(let value): .uuid(value)
        case .link(let table, let key): .reference(ObjectReference(ClassID(table), ObjectKey(key)))
        case .list, .map: .null
        }
    }
}
