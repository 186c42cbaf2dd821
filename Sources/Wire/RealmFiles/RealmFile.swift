import Basics

/// A Realm file, opened for reading. The file stays as it is, and nothing is written beside it.
package final class RealmFile: Sendable {
    /// The number of bytes of an encryption key.
    package static let keyLength = 64

    /// The number of the file's format: 11, or 20 to 24.
    package let format: Int
    /// The number of the snapshot that is read; 0 in a file that was written in one go and has none.
    package let version: UInt64
    /// The version that the app gave its schema; nil where no app did.
    package let schemaVersion: UInt64?
    /// All tables in the order of the file, also those that are no classes.
    package let tables: [RealmTable]

    private let source: SourceFile?
    private let image: FileImage
    private let header: FileHeader
    private let targets: LinkTargets
    private let costs: ReadingCosts
    private let texts: InvalidTexts

    /// Whether the first bytes of a file are those of a Realm file that is not encrypted; false for what cannot be read.
    /// Cost: reads 24 bytes.
    package static func isPlain(path: String) -> Bool { SourceFile.isPlain(path: path) }

    /// Opens the file at a path, and copies it into memory: an own copy is what no other program can change or cut off
    /// while it is read.
    ///
    /// Cost: memory of the file's size until the object goes, and some milliseconds for each 10 MB; those of an encrypted
    /// file are also decrypted.
    ///
    /// - Parameter key: what the file was encrypted with. A file that is not encrypted needs none.
    package convenience init(path: String, key: RealmFileKey? = nil) throws(RealmFileFault) {
        try self.init(try SourceFile(path: path, key: key))
    }

    /// Opens a file that is open already, and that no other program can change or cut off, such as one without a name.
    /// The descriptor stays the caller's, and its position where it is.
    ///
    /// Cost: the file is mapped, so that its pages are no memory of this process's own. Those of an encrypted file are
    /// decrypted into memory: they are in the clear nowhere else.
    package convenience init(ownDescriptor descriptor: Int32, key: RealmFileKey? = nil) throws(RealmFileFault) {
        let (image, header) = try SourceFile(own: descriptor, key: key).whole()
        try self.init(image, header, source: nil)
    }

    private convenience init(_ source: SourceFile) throws(RealmFileFault) {
        let (image, header) = try source.copy()
        try self.init(image, header, source: source)
    }

    /// Reads the bytes of a file that is not encrypted.
    package convenience init(bytes: [UInt8]) throws(RealmFileFault) {
        let image = try FileImage(bytes)
        try self.init(image, try FileHeader(image), source: nil)
    }

    private init(_ image: FileImage, _ header: FileHeader, source: SourceFile?) throws(RealmFileFault) {
        let texts = InvalidTexts()
        self.texts = texts
        let reader = NodeReader(image, header, targets: nil, budget: ReadingBudget(length: image.count), texts)
        let group = try GroupReader(reader, top: header.top)
        self.source = source
        self.image = image
        self.header = header
        costs = ReadingCosts()
        targets = LinkTargets(group.tables, image, header, costs)
        format = header.format
        version = group.version
        tables = group.tables
        schemaVersion = try Self.schemaVersion(of: group.tables, reader)
    }

    /// Calls the body with all objects of a table, in the order of their keys. Costs the memory of one cluster, which is
    /// at most 256 objects in files that Realm writes, and about 0.3 µs for an object of six plain properties.
    ///
    /// Throws ``RealmFileFault`` and what the body throws.
    ///
    /// - Parameter columns: the indices of those that are read; nil for all. The others are null in each object, and
    ///   damage in them is ignored.
    package func forEachObject(
        of table: RealmTable, columns: Set<Int>? = nil, _ body: (RealmObject) throws -> Void
    ) throws {
        try costs.measure(.values, of: table.key, length: image.count) { budget in
            let reader = NodeReader(image, header, targets: targets, budget: budget, texts)
            defer { budget = reader.budget }
            try ObjectReader(table, reader, columns: columns).forEach(body)
        }
    }

    /// Finds objects of a table by their keys: for embedded ones, which belong where a link leads to them. Cost: reads all
    /// keys, and keeps 32 bytes for each cluster, which has 256 objects in files that Realm writes.
    package func lookup(
        in table: RealmTable, columns: Set<Int>? = nil
    ) throws(RealmFileFault) -> RealmObjectLookup {
        let reader = NodeReader(image, header, targets: targets, budget: ReadingBudget(length: image.count), texts)
        return try RealmObjectLookup(table, columns, reader, length: image.count)
    }

    /// The number of objects, which is counted without reading them.
    package func objectCount(of table: RealmTable) throws(RealmFileFault) -> Int {
        try costs.measure(.count, of: table.key, length: image.count) { (budget) throws(RealmFileFault) in
            let reader = NodeReader(image, header, targets: nil, budget: budget)
            defer { budget = reader.budget }
            reader.subject = "table '\(table.name)'"
            var clusters = ClusterCursor(root: table.objects)
            var count = 0
            while let cluster = try clusters.next(reader) {
                count += cluster.count
                reader.budget.forget()
            }
            return count
        }
    }

    /// The texts that were not UTF-8, of all that was read so far: how many, up to 1,000, and where the first is. Their
    /// other bytes have become U+FFFD. Nil without any.
    package var invalidTexts: (count: Int, first: String)? { texts.summary }

    /// Throws `inUse` when another program has written to the file since it was opened. What is read stays the same
    /// snapshot all the same, because it is read from a copy.
    package func checkUnchanged() throws(RealmFileFault) {
        if let source, try !source.isUnchanged(since: image, header) { throw .inUse }
    }

    /// The number in the one object of the table `metadata`. An app that gave none has −1 there.
    private static func schemaVersion(
        of tables: [RealmTable], _ reader: NodeReader
    ) throws(RealmFileFault) -> UInt64? {
        guard let table = tables.first(where: { $0.name == "metadata" }),
            let index = table.columns.firstIndex(where: {
                $0.name == "version" && $0.type == .int && $0.collection == .none
            })
        else { return nil }
        reader.subject = "table 'metadata'"
        var clusters = ClusterCursor(root: table.objects)
        guard let cluster = try clusters.next(reader), cluster.count > 0 else { return nil }
        var values: [RealmValue] = []
        let form = LeafForm(type: .int, isNullable: table.columns[index].isOptional)
        try reader.append(try reader.node(at: cluster.slots[table.layout[index].leaf + 1]), form, to: &values)
        guard case .int(let version)? = values.first else { return nil }
        return UInt64(exactly: version)
    }
}

extension RealmFile {
    /// A key as text: two hexadecimal digits for each of its bytes. Nil for any other text.
    package static func key(hexadecimal digits: some Sequence<UInt8>) -> [UInt8]? {
        guard let key = decodeHex(digits), key.count == keyLength else { return nil }
        return key
    }
}
