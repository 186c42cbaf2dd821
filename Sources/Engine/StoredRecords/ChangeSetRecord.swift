package import Columnar
package import ObjectModel
package import QueryExecution

/// A change set in the change log: its time, then per class the runs of inserted and deleted keys, the modified keys
/// with their properties, the edits of collections, and the undo data. In a replica, the tag of the version follows the time. A bulk load of a million objects is one run, a
/// few bytes; so is a list that grew by a million elements.
package enum ChangeSetRecord {
    /// `undo` is a section that `UndoRecord` wrote; nil when there is none.
    package static func encode(
        _ changes: ChangeSet, undo: [UInt8]? = nil, tag: HistoryTag? = nil, at seconds: Int64
    ) -> [UInt8] {
        var writer = ByteWriter()
        writer.fixed(UInt64(bitPattern: seconds))
        writer.byte((changes.schemaChanged ? 1 : 0) | (tag == nil ? 0 : tagFlag))
        if let tag { writer.fixed(tag.rawValue) }
        writer.count(changes.classes.count)
        for (id, changes) in changes.classes.sorted(by: { $0.key < $1.key }) {
            writer.unsigned(UInt64(id.rawValue))
            encode(changes.insertions, into: &writer)
            encode(changes.deletions, into: &writer)
            writer.count(changes.modifications.count)
            var previous: Int64 = 0
            for (key, properties) in changes.modifications.sorted(by: { $0.key < $1.key }) {
                writer.unsigned(UInt64(key.rawValue - previous))
                previous = key.rawValue
                let members = properties.members
                writer.count(members.count)
                for member in members { writer.unsigned(UInt64(member.rawValue)) }
            }
        }
        encodeEdits(changes, into: &writer)
        if let undo { writer.append(undo) }
        return writer.bytes
    }

    /// Written after the classes, so that records of format 1, which have none, are read as well.
    private static func encodeEdits(_ changes: ChangeSet, into writer: inout ByteWriter) {
        let classes = changes.classes.filter { !$0.value.edits.isEmpty }.sorted { $0.key < $1.key }
        writer.count(classes.count)
        for (id, changes) in classes {
            writer.unsigned(UInt64(id.rawValue))
            writer.count(changes.edits.count)
            for (key, properties) in changes.edits.sorted(by: { $0.key < $1.key }) {
                writer.unsigned(UInt64(key.rawValue))
                writer.count(properties.count)
                for (property, edit) in properties {
                    writer.unsigned(UInt64(property.rawValue))
                    CollectionEditRecord.encode(edit, into: &writer)
                }
            }
        }
    }

    private static func decodeEdits(_ reader: inout ByteReader, into result: inout ChangeSet) throws(DamagedRecord) {
        for _ in 0..<(try reader.count()) {
            let id = ClassID(try reader.integer(UInt32.self))
            for _ in 0..<(try reader.count()) {
                let key = ObjectKey(try reader.integer(Int64.self))
                var edits = PropertyEdits()
                for _ in 0..<(try reader.count()) {
                    let property = PropertyID(try reader.integer(UInt16.self))
                    edits[property] = try CollectionEditRecord.decode(&reader)
                }
                result.classes[id]?.edits[key] = edits
            }
        }
    }

    /// The maximum number of keys decoded from one record. With more, a reader had better read everything again, and a
    /// damaged run must not fill the memory.
    static let keyLimit: Int64 = 1 << 20

    /// Returns nil when the record has more keys than `keyLimit`.
    package static func decode(_ bytes: UnsafeRawBufferPointer, version: Version) throws(DamagedRecord) -> ChangeSet? {
        var reader = ByteReader(bytes)
        return try decode(&reader, version: version)
    }

    /// Decodes the change set and its undo data; nil also when the record has none.
    package static func decodeWithUndo(
        _ bytes: UnsafeRawBufferPointer, version: Version
    ) throws(DamagedRecord) -> (changes: ChangeSet, undo: [UndoStep])? {
        var reader = ByteReader(bytes)
        guard let changes = try decode(&reader, version: version) else { return nil }
        // Records of builds without undo data end here.
        guard !reader.isAtEnd else { return nil }
        return (changes, try UndoRecord.decode(&reader))
    }

    /// The length of the record without its undo data; nil when it has none. Cost: a pass over it, however many keys it
    /// has.
    package static func lengthWithoutUndo(_ bytes: UnsafeRawBufferPointer) throws(DamagedRecord) -> Int? {
        var reader = ByteReader(bytes)
        _ = try head(&reader)
        for _ in 0..<(try reader.count()) {
            _ = try reader.unsigned()
            for _ in 0..<2 {
                for _ in 0..<(try reader.count()) {
                    _ = try reader.unsigned()
                    _ = try reader.unsigned()
                }
            }
            for _ in 0..<(try reader.count()) {
                _ = try reader.unsigned()
                for _ in 0..<(try reader.count()) { _ = try reader.unsigned() }
            }
        }
        var nothing = ChangeSet(version: Version(0))
        if !reader.isAtEnd { try decodeEdits(&reader, into: &nothing) }
        return reader.isAtEnd ? nil : reader.offset
    }

    private static func decode(_ reader: inout ByteReader, version: Version) throws(DamagedRecord) -> ChangeSet? {
        var result = ChangeSet(version: version, schemaChanged: try head(&reader).schemaChanged)
        var room = keyLimit
        for _ in 0..<(try reader.count()) {
            let id = ClassID(try reader.integer(UInt32.self))
            guard let insertions = try decodeKeys(&reader, &room), let deletions = try decodeKeys(&reader, &room)
            else { return nil }
            var changes = ClassChanges(insertions: insertions, deletions: deletions)
            var previous: Int64 = 0
            for _ in 0..<(try reader.count()) {
                let (key, overflow) = previous.addingReportingOverflow(try reader.integer(Int64.self))
                guard !overflow else { throw DamagedRecord() }
                previous = key
                var properties = PropertySet()
                for _ in 0..<(try reader.count()) { properties.insert(PropertyID(try reader.integer(UInt16.self))) }
                changes.modifications[ObjectKey(previous)] = properties
            }
            result.classes[id] = changes
        }
        if !reader.isAtEnd { try decodeEdits(&reader, into: &result) }
        return result
    }

    /// Bit 0 of the flags is for a changed schema.
    private static let tagFlag: UInt8 = 2

    private static func head(
        _ reader: inout ByteReader
    ) throws(DamagedRecord) -> (schemaChanged: Bool, tag: HistoryTag?) {
        _ = try reader.fixed()
        let flags = try reader.byte()
        let tag = flags & tagFlag == 0 ? nil : HistoryTag(rawValue: try reader.fixed())
        return (flags & 1 != 0, tag)
    }

    /// The tag that was passed to `encode`.
    package static func tag(_ bytes: UnsafeRawBufferPointer) -> HistoryTag? {
        var reader = ByteReader(bytes)
        return (try? head(&reader))?.tag
    }

    /// The time that was passed to `encode`, for the first entry in a scan.
    package static func time(_ bytes: UnsafeRawBufferPointer) -> Int64? {
        var reader = ByteReader(bytes)
        return (try? reader.fixed()).map { Int64(bitPattern: $0) }
    }

    private static func encode(_ keys: Set<ObjectKey>, into writer: inout ByteWriter) {
        let runs = runs(keys)
        writer.count(runs.count)
        var previous: Int64 = 0
        for run in runs {
            writer.unsigned(UInt64(run.start - previous))
            writer.unsigned(UInt64(run.length))
            previous = run.start
        }
    }

    private static func runs(_ keys: Set<ObjectKey>) -> [(start: Int64, length: Int64)] {
        guard let lowest = keys.min(), let highest = keys.max() else { return [] }
        // The keys of a bulk load need not be sorted.
        if highest.rawValue - lowest.rawValue == Int64(keys.count) - 1 { return [(lowest.rawValue, Int64(keys.count))] }
        var runs: [(start: Int64, length: Int64)] = []
        for key in keys.sorted() {
            if let last = runs.last, last.start + last.length == key.rawValue {
                runs[runs.count - 1].length += 1
            } else {
                runs.append((key.rawValue, 1))
            }
        }
        return runs
    }

    private static func decodeKeys(
        _ reader: inout ByteReader, _ room: inout Int64
    ) throws(DamagedRecord) -> Set<ObjectKey>? {
        var keys: Set<ObjectKey> = []
        var previous: Int64 = 0
        for _ in 0..<(try reader.count()) {
            let gap = try reader.integer(Int64.self)
            let length = try reader.integer(Int64.self)
            let (start, overflow) = previous.addingReportingOverflow(gap)
            guard !overflow, length >= 0, start <= Int64.max - length else { throw DamagedRecord() }
            guard length <= room else { return nil }
            room -= length
            keys.formUnion((start..<start + length).lazy.map { ObjectKey($0) })
            previous = start
        }
        return keys
    }
}
