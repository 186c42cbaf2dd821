package import Columnar
package import ObjectModel
package import QueryLanguage

/// Sorts objects. Used by one thread at a time.
package protocol ObjectSorter: AnyObject {
    /// Adds the selected objects of a cluster; may narrow the mask. The clusters may come in any order.
    func add(_ cluster: ClusterView, _ mask: SelectionMask) throws
    /// Whether any object of a cluster can be in the result, as far as the headers of leaves tell.
    func mayMatter(_ cluster: ClusterView) throws -> Bool
    /// Whether the objects of one cluster come before those of another, so that adding it first saves work.
    func prefers(_ cluster: ClusterView, to other: ClusterView) throws -> Bool
    func add(_ key: ObjectKey) throws
    func sorted() throws -> [ObjectKey]
}

extension ObjectSorter {
    package func mayMatter(_ cluster: ClusterView) -> Bool { true }
    package func prefers(_ cluster: ClusterView, to other: ClusterView) -> Bool { false }
}

/// Sorts all objects by several keys, stably in the order in which they were added: by the first word of the first key,
/// then those with equal words by the rest. The other keys are read only for these. Used by one thread at a time.
package final class FullSorter: ObjectSorter {
    private let source: any ColumnSource
    private let columns: [SortColumn]
    private let threadLimit: Int
    /// Makes another one, for another thread.
    private let another: () -> FullSorter
    private var values: [KeyedWord] = []
    /// The objects with another rank than values: nulls and null links.
    private var others: [UInt8: [KeyedWord]] = [:]
    /// Below that many, whole cells are compared.
    private static let comparisonLimit = 64

    /// From `threadLimit` objects on, several threads order the objects with equal first words.
    package init(_ keys: [SortKey], _ classID: ClassID, _ source: any ColumnSource, threadLimit: Int = 50_000) {
        self.source = source
        self.threadLimit = threadLimit
        another = { FullSorter(keys, classID, source) }
        columns = keys.map { SortColumn($0, classID, source) }
    }

    /// Whether all keys' values are in columns, which their cells may point into.
    package static func canSort(by keys: [SortKey]) -> Bool {
        keys.allSatisfy { key in
            guard key.path.steps.isEmpty, case .property(_, let type) = key.path.end else { return false }
            return type.collection == .single
        }
    }

    /// Adds the selected objects of a cluster.
    package func add(_ cluster: ClusterView, _ mask: SelectionMask) throws {
        try source.willHandle(mask.population)
        let first = Int64(cluster.firstKey)
        guard let column = columns.first, let property = column.property else {
            return try mask.forEach { try add(ObjectKey(first + Int64($0))) }
        }
        let leaf = try cluster.leaf(property)
        let ascending = column.ascending
        mask.forEach { slot in
            append(SortCell(leaf, slot, ascending: ascending), ObjectKey(first + Int64(slot)))
        }
    }

    package func add(_ key: ObjectKey) throws {
        guard let column = columns.first else { return values.append(KeyedWord(word: 0, key: key)) }
        append(try cell(of: key, column), key)
    }

    @inline(__always)
    private func append(_ cell: SortCell, _ key: ObjectKey) {
        let item = KeyedWord(word: cell.primary, key: key)
        if cell.rank == 1 { values.append(item) } else { others[cell.rank, default: []].append(item) }
    }

    package func sorted() throws -> [ObjectKey] {
        others[1] = values
        values = []
        var sorted: [ObjectKey] = []
        sorted.reserveCapacity(others.values.reduce(0) { $0 + $1.count })
        for rank in others.keys.sorted() {
            try others[rank]?.withUnsafeMutableBufferPointer { items in
                KeyedWord.sort(items)
                try refineParts(items, isExact: isExact(rank, 0))
                for item in items { sorted.append(item.key) }
            }
        }
        return sorted
    }

    /// Whether the first word of a column's cell represents its whole value. Nulls are all equal.
    private func isExact(_ rank: UInt8, _ column: Int) -> Bool {
        rank != 1 || !columns.indices.contains(column) || columns[column].isExact
    }

    /// Runs `refineRuns` for the first column, on several threads where that pays.
    private func refineParts(_ items: UnsafeMutableBufferPointer<KeyedWord>, isExact: Bool) throws {
        if columns.count <= 1, isExact { return }
        guard items.count >= threadLimit, ScanThreads.count > 1 else {
            return try refineRuns(items, 0, isExact: isExact)
        }
        // Parts end where a word does.
        let count = ScanThreads.count * 4
        var ends = [0]
        for part in 1...count {
            var end = max(ends[part - 1], items.count * part / count)
            while end > 0, end < items.count, items[end].word == items[end - 1].word { end += 1 }
            ends.append(end)
        }
        let sorters = (0..<count).map { _ in another() }
        let parts = ends
        // Each thread has a sorter and items of its own.
        _ = try ScanThreads.map(count) { part in
            let own = UnsafeMutableBufferPointer(rebasing: items[parts[part]..<parts[part + 1]])
            try sorters[part].refineRuns(own, 0, isExact: isExact)
        }
    }

    /// Orders the runs of items that have the same word of a column by the rest of the key: the rest of that column,
    /// too, unless its word is exact.
    private func refineRuns(
        _ items: UnsafeMutableBufferPointer<KeyedWord>, _ column: Int, isExact: Bool
    ) throws {
        if column >= columns.count - 1, isExact || columns.isEmpty { return }
        var start = 0
        while start < items.count {
            let word = items[start].word
            var end = start + 1
            while end < items.count, items[end].word == word { end += 1 }
            if end - start > 1 {
                try refine(UnsafeMutableBufferPointer(rebasing: items[start..<end]), column, isExact: isExact)
            }
            start = end
        }
    }

    private func refine(
        _ run: UnsafeMutableBufferPointer<KeyedWord>, _ column: Int, isExact: Bool
    ) throws {
        guard run.count > Self.comparisonLimit, isExact else { return try compare(run, from: column) }
        // The next column's words, by rank.
        let next = columns[column + 1]
        var ranks: [UInt8: [KeyedWord]] = [:]
        var same: [KeyedWord] = []
        same.reserveCapacity(run.count)
        var texts: [UnsafeBufferPointer<UInt8>] = []
        if next.shape == .text { texts.reserveCapacity(run.count) }
        for item in run {
            let cell = try cell(of: item.key, next)
            let word = KeyedWord(word: cell.primary, key: item.key)
            if cell.rank == 1 {
                same.append(word)
                if next.shape == .text { texts.append(cell.bytes) }
            } else {
                ranks[cell.rank, default: []].append(word)
            }
        }
        var saysAll = next.isExact
        if next.shape == .text { saysAll = Self.setWords(&same, of: texts, ascending: next.ascending) }
        ranks[1] = same
        var index = 0
        for rank in ranks.keys.sorted() {
            try ranks[rank]?.withUnsafeMutableBufferPointer { items in
                KeyedWord.sort(items)
                try refineRuns(items, column + 1, isExact: rank != 1 || saysAll)
                for item in items {
                    run[index].key = item.key
                    index += 1
                }
            }
        }
    }

    /// Makes words of the text after the common prefix of all texts; returns whether they represent it completely.
    private static func setWords(
        _ items: inout [KeyedWord], of texts: [UnsafeBufferPointer<UInt8>], ascending: Bool
    ) -> Bool {
        guard let first = texts.first else { return true }
        var shared = first.count
        var longest = 0
        for text in texts {
            shared = min(shared, text.count)
            longest = max(longest, text.count)
            var same = 0
            while same < shared, text[same] == first[same] { same += 1 }
            shared = same
        }
        let saysAll = longest - shared < 8
        for (index, text) in texts.enumerated() {
            let rest = UnsafeBufferPointer(rebasing: text[shared...])
            var word = SortCell.bits(rest)
            // Of texts that differ only in trailing zeros the shorter one comes first.
            if saysAll { word |= UInt64(rest.count) }
            items[index].word = ascending ? word : ~word
        }
        return saysAll
    }

    /// Compares all cells from a column on, for short runs and for texts with a common prefix.
    private func compare(_ run: UnsafeMutableBufferPointer<KeyedWord>, from first: Int) throws {
        let columns = Array(columns[first...])
        let width = columns.count
        var cells: [SortCell] = []
        cells.reserveCapacity(run.count * width)
        for item in run {
            for column in columns { cells.append(try cell(of: item.key, column)) }
        }
        let order = cells.withUnsafeBufferPointer { cells in
            (0..<run.count).sorted { left, right in
                let order = columns.order(cells[(left * width)...], cells[(right * width)...])
                return order != 0 ? order < 0 : left < right
            }
        }
        let keys = order.map { run[$0].key }
        for (index, key) in keys.enumerated() { run[index].key = key }
    }

    /// The cell of an object; all keys' values are in columns.
    @inline(__always)
    private func cell(of key: ObjectKey, _ column: SortColumn) throws -> SortCell {
        try column.cell(of: key) ?? .null(ascending: column.ascending)
    }
}
