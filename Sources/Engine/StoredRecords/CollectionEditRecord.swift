import Basics
import Columnar
import ObjectModel

/// The edit of a list, set or map in the change log: for lists runs of positions, for sets the elements, for maps the
/// keys. Lists whose elements moved have a kind of their own, so that records from before moves were recorded can be
/// read.
enum CollectionEditRecord {
    static func encode(_ edit: CollectionEdit, into writer: inout ByteWriter) {
        switch edit {
        case .list(let edit):
            writer.byte(edit.moves.isEmpty ? 1 : 4)
            for runs in [edit.deletions, edit.insertions, edit.modifications] { encode(runs, into: &writer) }
            if !edit.moves.isEmpty { encode(edit.moves, into: &writer) }
        case .set(let edit):
            writer.byte(2)
            for elements in [edit.deletions, edit.insertions] {
                writer.count(elements.count)
                for element in elements.ascending { ValueRecord.encode(element, into: &writer) }
            }
        case .map(let edit):
            writer.byte(3)
            for keys in [edit.deletions, edit.insertions, edit.modifications] {
                writer.count(keys.count)
                for key in keys.ascending { writer.text(key.text) }
            }
        }
    }

    static func decode(_ reader: inout ByteReader) throws(DamagedRecord) -> CollectionEdit {
        let kind = try reader.byte()
        switch kind {
        case 1, 4:
            let deletions = try decodeRuns(&reader)
            let insertions = try decodeRuns(&reader)
            let modifications = try decodeRuns(&reader)
            let moves = kind == 4 ? try decodeMoves(&reader) : []
            return .list(
                ListEdit(deletions: deletions, insertions: insertions, modifications: modifications, moves: moves))
        case 2:
            let deletions = try decodeElements(&reader)
            return .set(SetEdit(deletions: deletions, insertions: try decodeElements(&reader)))
        case 3:
            let deletions = try decodeKeys(&reader)
            let insertions = try decodeKeys(&reader)
            return .map(
                MapEdit(deletions: deletions, insertions: insertions, modifications: try decodeKeys(&reader)))
        default: throw DamagedRecord()
        }
    }

    private static func encode(_ runs: IndexRuns, into writer: inout ByteWriter) {
        writer.count(runs.runs.count)
        var previous = 0
        for run in runs.runs {
            writer.count(run.lowerBound - previous)
            writer.count(run.count)
            previous = run.upperBound
        }
    }

    private static func decodeRuns(_ reader: inout ByteReader) throws(DamagedRecord) -> IndexRuns {
        var runs: [Range<Int>] = []
        var previous = 0
        for _ in 0..<(try reader.count()) {
            let gap = try reader.integer(UInt32.self)
            let length = try reader.integer(UInt32.self)
            let start = previous + Int(gap)
            previous = start + Int(length)
            guard previous < 1 << 40 else { throw DamagedRecord() }
            runs.append(start..<previous)
        }
        return IndexRuns(runs: runs)
    }

    private static func encode(_ moves: [ListEdit.Move], into writer: inout ByteWriter) {
        writer.count(moves.count)
        for move in moves {
            writer.count(move.from)
            writer.count(move.to)
            writer.byte(move.isModified ? 1 : 0)
        }
    }

    private static func decodeMoves(_ reader: inout ByteReader) throws(DamagedRecord) -> [ListEdit.Move] {
        var moves: [ListEdit.Move] = []
        for _ in 0..<(try reader.count()) {
            let from = Int(try reader.integer(UInt32.self))
            let to = Int(try reader.integer(UInt32.self))
            moves.append(ListEdit.Move(from: from, to: to, isModified: try reader.byte() != 0))
        }
        return moves
    }

    private static func decodeElements(_ reader: inout ByteReader) throws(DamagedRecord) -> EditedElements<Value> {
        var elements: [Value] = []
        for _ in 0..<(try reader.count()) { elements.append(try ValueRecord.decode(&reader)) }
        return EditedElements(elements)
    }

    private static func decodeKeys(_ reader: inout ByteReader) throws(DamagedRecord) -> EditedElements<MapKey> {
        var keys: [MapKey] = []
        for _ in 0..<(try reader.count()) { keys.append(MapKey(try reader.text())) }
        return EditedElements(keys)
    }
}
