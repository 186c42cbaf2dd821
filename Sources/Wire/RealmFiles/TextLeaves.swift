/// Where the bytes of a string or of other data are.
enum Cell {
    case null
    case at(Int, count: Int)
    /// The bytes of a value that is spread over several nodes.
    case joined([UInt8], ref: Int64)
}

extension NodeReader {
    /// The values of a leaf of strings or data. The flags of the leaf say which of four forms it has.
    ///
    /// - Parameters:
    ///   - hasFinalZero: whether a zero byte that is not part of the value follows each value. Strings have one, data has
    ///     none.
    ///   - isNullable: whether an empty cell is null. Names never are.
    func cells(_ node: Node, hasFinalZero: Bool, isNullable: Bool = true) throws(RealmFileError) -> [Cell] {
        if !node.hasRefs { return try shortCells(node, isNullable: isNullable) }
        let cells = node.hasContext ? try largeCells(node) : try smallCells(node)
        guard hasFinalZero else { return cells }
        var texts: [Cell] = []
        texts.reserveCapacity(cells.count)
        for cell in cells {
            switch cell {
            case .null: texts.append(.null)
            case .at(let start, let count):
                guard count > 0, image.byte(at: start + count - 1) == 0 else { throw noFinalZero(node) }
                texts.append(.at(start, count: count - 1))
            case .joined(let bytes, let ref):
                guard bytes.last == 0 else { throw noFinalZero(node) }
                texts.append(.joined(bytes.dropLast(), ref: ref))
            }
        }
        return texts
    }

    /// The strings of a leaf of names.
    func names(at ref: Int64) throws(RealmFileError) -> [StoredName] {
        let node = try node(at: ref)
        return try cells(node, hasFinalZero: true, isNullable: false).map { (cell) throws(RealmFileError) in
            StoredName(text: try text(cell) ?? "", bytes: try bytes(cell) ?? [])
        }
    }

    /// Nil for null.
    func text(_ cell: Cell) throws(RealmFileError) -> String? {
        switch cell {
        case .null: return nil
        case .joined(let bytes, let ref):
            if let text = String(validating: bytes, as: UTF8.self) { return text }
            texts.add(at: ref, in: subject)
            return String(decoding: bytes, as: UTF8.self)
        case .at(let start, let count):
            guard let (text, isValid) = image.text(at: start, count: count) else {
                throw damaged("a string ends beyond the file", at: Int64(start))
            }
            if !isValid { texts.add(at: Int64(start), in: subject) }
            return text
        }
    }

    /// Nil for null.
    func bytes(_ cell: Cell) throws(RealmFileError) -> [UInt8]? {
        switch cell {
        case .null: return nil
        case .joined(let bytes, _): return bytes
        case .at(let start, let count):
            guard let bytes = image.bytes(at: start, count: count) else {
                throw damaged("a value ends beyond the file", at: Int64(start))
            }
            return bytes
        }
    }

    private func noFinalZero(_ node: Node) -> RealmFileError {
        damaged("a string has no zero at its end", at: node.ref)
    }

    /// Cells of equal length. The last byte of a cell is the number of zeros before it; the cell's length there means
    /// null.
    private func shortCells(_ node: Node, isNullable: Bool) throws(RealmFileError) -> [Cell] {
        guard node.form == .bytes else { throw damaged("strings are expected", at: node.ref) }
        let empty: Cell = isNullable ? .null : .at(node.start, count: 0)
        guard node.width > 0 else { return [Cell](repeating: empty, count: node.size) }
        var cells: [Cell] = []
        cells.reserveCapacity(node.size)
        var start = node.start
        for _ in 0..<node.size {
            let padding = Int(image.byte(at: start + node.width - 1) ?? .max)
            guard padding <= node.width else { throw damaged("a string of it has no valid length", at: node.ref) }
            cells.append(padding == node.width ? empty : .at(start, count: node.width - 1 - padding))
            start += node.width
        }
        return cells
    }

    /// One node has all values, one after the other; a second one has their ends, and a third one says which are null.
    private func smallCells(_ node: Node) throws(RealmFileError) -> [Cell] {
        let parts = try slots(node, atLeast: 2)
        let ends = try integers(at: parts[0])
        let content = try self.node(at: parts[1])
        guard content.form == .raw, !content.hasRefs else { throw damaged("bytes are expected", at: content.ref) }
        let nulls = parts[2] == 0 ? [] : try integers(at: parts[2])
        guard parts[2] == 0 || nulls.count == ends.count else {
            throw damaged("it has \(ends.count) values and \(nulls.count) marks of null", at: node.ref)
        }
        var cells: [Cell] = []
        cells.reserveCapacity(ends.count)
        var start = 0
        for (index, end) in ends.enumerated() {
            guard end >= start, end <= content.size else {
                throw damaged("a value of it ends at \(end)", at: node.ref)
            }
            let isNull = index < nulls.count && nulls[index] != 0
            cells.append(isNull ? .null : .at(content.start + start, count: Int(end) - start))
            start = Int(end)
        }
        return cells
    }

    /// Each value in a node of its own, or in several.
    private func largeCells(_ node: Node) throws(RealmFileError) -> [Cell] {
        let values = try slots(node).values
        var cells: [Cell] = []
        cells.reserveCapacity(values.count)
        for ref in values {
            guard ref != 0 else {
                cells.append(.null)
                continue
            }
            let value = try self.node(at: ref)
            guard value.hasContext else {
                cells.append(try content(value))
                continue
            }
            var joined: [UInt8] = []
            for part in try slots(value).values { joined += try bytes(try content(try self.node(at: part))) ?? [] }
            cells.append(.joined(joined, ref: ref))
        }
        return cells
    }

    private func content(_ node: Node) throws(RealmFileError) -> Cell {
        guard node.form == .raw, !node.hasRefs, !node.hasContext else {
            throw damaged("bytes are expected", at: node.ref)
        }
        return .at(node.start, count: node.size)
    }
}
