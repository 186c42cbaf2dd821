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
    /// All tables in the order of the file, also those that are not classes.
    package let tables: [RealmTable]

    private let source: SourceFile?
    private let image: FileImage
    private let header: FileHeader
    private let targets: LinkTargets
    private let costs: ReadingCosts
    private let texts: InvalidTexts

    /// Whether a file begins like a Realm file that is not encrypted; false if it cannot be read.
    /// Cost: reads 24 bytes.
    package static func isPlain(path: String) -> Bool { SourceFile.isPlain(path: path) }

    /// Opens the file at a path and copies it into memory, because another program could change or truncate the file
    /// while it is read.
    ///
    /// Cost: memory of the file's size until the object is released, and some milliseconds for each 10 MB. An encrypted
    /// file also costs its decryption.
    ///
    /// - Parameter key: the key that the file was encrypted with; nil for a file that is not encrypted.
    package convenience init(path: String, key: RealmFileKey? = nil) throws(RealmFileError) {
        try self.init(try SourceFile(path: path, key: key))
    }

    /// Reads a file that is already open and that no other program can change or truncate, such as one without a name.
    /// The caller keeps the descriptor, and its position does not change.
    ///
    /// Cost: the file is mapped, so its pages are not private memory of this process. The pages of an encrypted file
    /// are decrypted into private memory, so that the plain text is nowhere else.
    package convenience init(ownDescriptor descriptor: Int32, key: RealmFileKey? = nil) throws(RealmFileError) {
        let (image, header) = try SourceFile(own: descriptor, key: key).whole()
        try self.init(image, header, source: nil)
    }

    private convenience init(_ source: SourceFile) throws(RealmFileError) {
        let (image, header) = try source.copy()
        try self.init(image, header, source: source)
    }

    /// Reads the bytes of a file that is not encrypted.
    package convenience init(bytes: [UInt8]) throws(RealmFileError) {
        let image = try FileImage(bytes)
        try self.init(image, try FileHeader(image), source: nil)
    }

    private init(_ image: FileImage, _ header: FileHeader, source: SourceFile?) throws(RealmFileError) {
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
    /// Throws ``RealmFileError`` and what the body throws.
    ///
    /// - Parameter columns: the indices of the columns to read; nil for all. The other columns are null in each object,
    ///   and damage in them is ignored.
    package func forEachObject(
        of table: RealmTable, columns: Set<Int>? = nil, _ body: (RealmObject) throws -> Void
    ) throws {
        try costs.measure(.values, of: table.key, length: image.count) { budget in
            let reader = NodeReader(image, header, targets: targets, budget: budget, texts)
            defer { budget = reader.budget }
            try ObjectReader(table, reader, columns: columns).forEach(body)
        }
    }

    /// Finds objects of a table by their keys, for embedded objects, which are read where a link leads to them. Cost:
    /// reads all keys, and keeps 32 bytes for each cluster of up to 256 objects.
    package func lookup(
        in table: RealmTable, columns: Set<Int>? = nil
    ) throws(RealmFileError) -> RealmObjectLookup {
        let reader = NodeReader(image, header, targets: targets, budget: ReadingBudget(length: image.count), texts)
        return try RealmObjectLookup(table, columns, reader, length: image.count)
    }

    /// The number of objects, which is counted without reading them.
    package func objectCount(of table: RealmTable) throws(RealmFileError) -> Int {
        try costs.measure(.count, of: table.key, length: image.count) { (budget) throws(RealmFileError) in
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

    /// The texts read so far that were not valid UTF-8: their number, up to 1,000, and the location of the first. Their
    /// invalid bytes have become U+FFFD. Nil if there are none.
    package var invalidTexts: (count: Int, first: String)? { texts.summary }

    /// Throws `inUse` if another program has written to the file since it was opened. Reads still show the same
    /// snapshot, because they read a copy.
    package func checkUnchanged() throws(RealmFileError) {
        if let source, try !source.isUnchanged(since: image, header) { throw .inUse }
    }

    /// The number in the only object of the table `metadata`. It is −1 if the app gave no version.
    private static func schemaVersion(
        of tables: [RealmTable], _ reader: NodeReader
    ) throws(RealmFileError) -> UInt64? {
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
