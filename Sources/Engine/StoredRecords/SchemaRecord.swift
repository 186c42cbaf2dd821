package import Columnar
package import ObjectModel

/// The schema in the file: version, next class number, then each class with its numbers and properties. Types are in
/// their text form; flags are 1 for indexed, 2 for full-text indexed.
package enum SchemaRecord {
    package static func encode(_ schema: Schema) -> [UInt8] {
        var writer = ByteWriter()
        writer.unsigned(schema.version)
        writer.unsigned(UInt64(schema.nextClassID))
        writer.count(schema.classes.count)
        for objectClass in schema.classes {
            writer.unsigned(UInt64(objectClass.id.rawValue))
            writer.text(objectClass.name)
            writer.text(objectClass.primaryKey ?? "")
            writer.byte(objectClass.isEmbedded ? 1 : 0)
            writer.unsigned(UInt64(objectClass.nextPropertyID))
            writer.count(objectClass.properties.count)
            for property in objectClass.properties {
                writer.unsigned(UInt64(property.id.rawValue))
                writer.text(property.name)
                writer.text(property.type.description)
                writer.byte((property.isIndexed ? 1 : 0) | (property.isFullTextIndexed ? 2 : 0))
                encode(property.defaultValue, into: &writer)
            }
        }
        return writer.bytes
    }

    package static func decode(_ bytes: UnsafeRawBufferPointer) throws(DamagedRecord) -> Schema {
        var reader = ByteReader(bytes)
        let version = try reader.unsigned()
        let nextClassID = try reader.integer(UInt32.self)
        var classes: [(class: ClassSchema, id: ClassID, propertyIDs: [PropertyID], nextPropertyID: UInt16)] = []
        for _ in 0..<(try reader.count()) {
            let id = ClassID(try reader.integer(UInt32.self))
            let name = try reader.text()
            let primaryKey = try reader.text()
            let isEmbedded = try reader.byte() != 0
            let nextPropertyID = try reader.integer(UInt16.self)
            var properties: [PropertySchema] = []
            var propertyIDs: [PropertyID] = []
            for _ in 0..<(try reader.count()) {
                propertyIDs.append(PropertyID(try reader.integer(UInt16.self)))
                let propertyName = try reader.text()
                guard let type = PropertyType(text: try reader.text()) else { throw DamagedRecord() }
                let flags = try reader.byte()
                let value = try decodeValue(&reader)
                properties.append(
                    PropertySchema(
                        propertyName, type, isIndexed: flags & 1 != 0, isFullTextIndexed: flags & 2 != 0,
                        defaultValue: value))
            }
            let objectClass = ClassSchema(
                name, primaryKey: primaryKey.isEmpty ? nil : primaryKey, isEmbedded: isEmbedded, properties: properties)
            classes.append((objectClass, id, propertyIDs, nextPropertyID))
        }
        return Schema(version: version, numberedClasses: classes, nextClassID: nextClassID)
    }

    private static func encode(_ value: Value?, into writer: inout ByteWriter) {
        switch value {
        case nil: writer.byte(0)
        case .null: writer.byte(1)
        case .bool(let value):
            writer.byte(2)
            writer.byte(value ? 1 : 0)
        case .int(let value):
            writer.byte(3)
            writer.fixed(UInt64(bitPattern: value))
        case .float(let value):
            writer.byte(4)
            writer.fixed(UInt64(value.bitPattern))
        case .double(let value):
            writer.byte(5)
            writer.fixed(value.bitPattern)
        case .string(let value):
            writer.byte(6)
            writer.text(value)
        case .date(let value):
            writer.byte(7)
            writer.fixed(UInt64(bitPattern: value.seconds))
            writer.fixed(UInt64(UInt32(bitPattern: value.nanoseconds)))
        case .objectId(let value):
            writer.byte(8)
            writer.fixed(UInt64(value.high))
            writer.fixed(value.low)
        case .uuid(let value):
            writer.byte(9)
            writer.fixed(value.high)
            writer.fixed(value.low)
        case .link(let value):
            writer.byte(10)
            writer.fixed(UInt64(bitPattern: value.rawValue))
        case .data, .decimal, .list, .dictionary:
            writer.byte(11)
            writer.data(value.map { ValueRecord.encode($0) } ?? [])
        case .set(let elements):
            writer.byte(12)
            writer.data(ValueRecord.encode(.list(elements)))
        // Objects cannot be defaults.
        case .reference, .embedded: writer.byte(0)
        }
    }

    private static func decodeValue(_ reader: inout ByteReader) throws(DamagedRecord) -> Value? {
        switch try reader.byte() {
        case 0: return nil
        case 1: return .null
        case 2: return .bool(try reader.byte() != 0)
        case 3: return .int(Int64(bitPattern: try reader.fixed()))
        case 4: return .float(Float(bitPattern: UInt32(truncatingIfNeeded: try reader.fixed())))
        case 5: return .double(Double(bitPattern: try reader.fixed()))
        case 6: return .string(try reader.text())
        case 7:
            let seconds = Int64(bitPattern: try reader.fixed())
            let nanoseconds = Int32(bitPattern: UInt32(truncatingIfNeeded: try reader.fixed()))
            guard let date = Timestamp(seconds: seconds, nanoseconds: nanoseconds) else { throw DamagedRecord() }
            return .date(date)
        case 8:
            let high = UInt32(truncatingIfNeeded: try reader.fixed())
            return .objectId(ObjectId(high: high, low: try reader.fixed()))
        case 9:
            let high = try reader.fixed()
            return .uuid(UUIDValue(high: high, low: try reader.fixed()))
        case 10: return .link(ObjectKey(Int64(bitPattern: try reader.fixed())))
        case 11: return try decodeRecord(&reader)
        case 12:
            guard case .list(let elements) = try decodeRecord(&reader) else { throw DamagedRecord() }
            return .set(elements)
        default: throw DamagedRecord()
        }
    }

    private static func decodeRecord(_ reader: inout ByteReader) throws(DamagedRecord) -> Value {
        let bytes = try reader.data()
        do {
            return try bytes.withUnsafeBytes { try ValueRecord.decode($0) }
        } catch {
            throw DamagedRecord()
        }
    }
}

extension PropertySchema {
    /// The column type of the property; nil for computed properties and types that this version does not store.
    package var leafKind: LeafKind? { LeafKind(type) }
}
