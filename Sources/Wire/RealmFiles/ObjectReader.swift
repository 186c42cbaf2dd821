/// Reads the objects of a table, cluster by cluster.
struct ObjectReader {
    private let table: RealmTable
    private let reader: NodeReader
    private let forms: [LeafForm]
    private let words: String
    /// The indices of the columns that are read; nil for all.
    private let wanted: Set<Int>?

    init(_ table: RealmTable, _ reader: NodeReader, columns wanted: Set<Int>?) {
        self.wanted = wanted
        self.table = table
        self.reader = reader
        words = "table '\(table.name)'"
        forms = zip(table.columns, table.layout).map { column, layout in
            LeafForm(
                type: column.type, isNullable: column.isOptional, target: column.target,
                isColumn: column.collection == .none, enumeration: layout.enumeration)
        }
    }

    func forEach(_ body: (RealmObject) throws -> Void) throws {
        var clusters = ClusterCursor(root: table.objects)
        reader.subject = words
        while let cluster = try clusters.next(reader) {
            // In a cluster without objects there may be no leaves.
            guard cluster.count > 0 else { continue }
            let columns = try columns(of: cluster)
            for row in 0..<cluster.count {
                try body(RealmObject(key: cluster.key(at: row), values: columns.map { $0[row] }))
            }
            reader.budget.forget()
        }
    }

    /// The values of all columns, with one value for each object of the cluster; null in columns that are not read.
    func columns(of cluster: Cluster) throws(RealmFileError) -> [[RealmValue]] {
        var columns: [[RealmValue]] = []
        columns.reserveCapacity(forms.count)
        for index in forms.indices {
            if let wanted, !wanted.contains(index) {
                columns.append([RealmValue](repeating: .null, count: cluster.count))
            } else {
                columns.append(try column(index, of: cluster))
            }
        }
        reader.subject = words
        return columns
    }

    /// The values of a column, one for each object of the cluster.
    private func column(_ index: Int, of cluster: Cluster) throws(RealmFileError) -> [RealmValue] {
        let column = table.columns[index]
        reader.subject = "\(words), column '\(column.name)'"
        let slot = table.layout[index].leaf + 1
        let ref = cluster.slots[slot]
        guard ref != 0 else { throw reader.damaged("it has no slot \(slot)", at: cluster.slots.ref) }
        let form = forms[index]
        var values: [RealmValue] = []
        values.reserveCapacity(cluster.count)
        switch column.collection {
        case .none: try reader.append(try reader.node(at: ref), form, to: &values)
        case .list:
            for root in try reader.slots(at: ref).values { values.append(.list(try reader.sequence(root, form))) }
        case .set:
            for root in try reader.slots(at: ref).values {
                let elements = try reader.sequence(root, form)
                // The indices are in order, so equal ones are neighbours.
                guard zip(elements, elements.dropFirst()).allSatisfy({ !$0.isSame(as: $1) }) else {
                    throw reader.damaged("a set has an element twice", at: root)
                }
                values.append(.list(elements))
            }
        case .map(let keysAreIntegers):
            for root in try reader.slots(at: ref).values {
                values.append(try reader.map(root, keysAreIntegers: keysAreIntegers, form))
            }
        }
        guard values.count == cluster.count else {
            throw reader.damaged("it has \(values.count) values for \(cluster.count) objects", at: ref)
        }
        return values
    }
}
