import Columnar
import ObjectModel
import QueryLanguage

/// One key of a sort, ready to be read. Used by one thread at a time.
struct SortColumn {
    let reader: PathReader
    let ascending: Bool
    let base: BaseType
    let shape: SortCell.Shape
    /// The property itself when no link precedes it.
    let property: PropertyID?

    init(_ key: SortKey, _ classID: ClassID, _ source: any ColumnSource) {
        reader = PathReader(key.path, from: classID, in: source)
        ascending = key.isAscending
        base = key.path.valueType.base
        shape = SortCell.Shape(base)
        property = key.path.column
    }

    var order: SortCell.Order { SortCell.Order(shape: shape, ascending: ascending) }

    /// Whether the first word of a cell represents the whole value.
    var isExact: Bool {
        switch base {
        case .bool, .int, .float, .double: true
        default: false
        }
    }

    /// The cell of an object, whose bytes are in a leaf; nil when its value is not in a column.
    @inline(__always)
    func cell(of key: ObjectKey) throws -> SortCell? {
        guard let object = try reader.singleObject(key) else { return .nullLink(ascending: ascending) }
        guard let column = reader.column else { return nil }
        guard let (leaf, slot) = try column.location(object) else { return .null(ascending: ascending) }
        return SortCell(leaf, slot, ascending: ascending)
    }
}

extension [SortColumn] {
    /// Compares two rows of cells, each with one for each column; returns a negative number, zero or a positive one.
    @inline(__always)
    func order<Cells: RandomAccessCollection>(_ a: Cells, _ b: Cells) -> Int
    where Cells.Element == SortCell, Cells.Index == Int {
        for (index, column) in enumerated() {
            let order = SortCell.order(
                a[a.startIndex + index], b[b.startIndex + index], column.shape, ascending: column.ascending)
            if order != 0 { return order }
        }
        return 0
    }
}
