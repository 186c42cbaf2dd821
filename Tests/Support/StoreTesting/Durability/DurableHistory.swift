package import ObjectModel
import QueryLanguage
package import StoreContract
import TestBasics

/// Commits that can be repeated from their number alone.
///
/// The effect of a commit follows from the seed, its `CommitID` and the state that it starts from, and it writes its
/// number into the store, into the class `Journal`. So whatever happened to the process that wrote a file: the journal
/// lists the commits in the file, and a model that repeats them must end in the same state.
package struct DurableHistory: Sendable {
    package let seed: UInt64
    /// The approximate number of objects in a store, apart from the journal.
    package let target: Int

    package init(seed: UInt64, target: Int = 120) {
        self.seed = seed
        self.target = target
    }

    /// One commit: the `number`-th of a thread in a round.
    package struct CommitID: Hashable, Sendable, CustomStringConvertible {
        package var round: Int
        package var thread: Int
        package var number: Int

        package init(round: Int, thread: Int, number: Int) {
            self.round = round
            self.thread = thread
            self.number = number
        }

        package var description: String { "\(round) \(thread) \(number)" }

        /// The first primary key that the commit may assign.
        fileprivate var firstKey: Int64 { Int64((round * 64 + thread) << 28 + number << 8) }

        /// Distinct for each commit; also the version of a schema that the commit makes. Rises with the numbers of a
        /// thread. The first two belong to the schema that a file starts with.
        fileprivate var ordinal: UInt64 { UInt64((round * 64 + thread) << 28 + number + 2) }

        fileprivate init?(ordinal: UInt64) {
            guard ordinal >= 2 else { return nil }
            number = Int((ordinal - 2) & (1 << 28 - 1))
            thread = Int((ordinal - 2) >> 28 & 63)
            round = Int((ordinal - 2) >> 34)
        }
    }

    /// The error that a commit throws to be rolled back.
    package struct RolledBack: Error {}

    package static let journalName = "Journal"

    private static let journal = ClassSchema(
        journalName,
        properties: ["version", "round", "thread", "number"].map { PropertySchema($0, PropertyType(.int)) }
            + [PropertySchema("padding", PropertyType(.string))])

    /// The schema that a file starts with: a random one, and the journal.
    package var schema: Schema {
        var random = SeededRandom(seed: seed)
        let data = RandomSchemas.schema(&random, kinds: .all)
        return Schema(version: 1, classes: data.classes + [Self.journal])
    }

    // MARK: Commits

    private func random(_ id: CommitID) -> SeededRandom {
        var mixer = SeededRandom(seed: seed ^ id.ordinal &* 0x9E37_79B9)
        return SeededRandom(seed: mixer.next())
    }

    /// Performs the commit's changes. Throws `RolledBack` once in twelve times, when everything is done.
    package func perform(_ id: CommitID, in transaction: any WriteTransaction) throws {
        var random = random(id)
        let data = Self.withoutJournal(transaction.schema)
        var history = RandomHistory(data, firstKey: id.firstKey)
        let count = data.classes.reduce(0) { $0 + transaction.count(of: $1.id) }
        for operation in history.commit(count: count, target: target, &random) {
            try transaction.perform(operation)
        }
        try Self.write(id, padding: random.oneIn(8) ? random.below(6000) : 3, to: transaction)
        if random.oneIn(12) { throw RolledBack() }
    }

    /// Whether the commit replaces the schema instead: some of the first thread's do.
    package func isSchemaChange(_ id: CommitID) -> Bool { id.thread == 0 && id.number % 9 == 8 }

    /// Whether such a commit has a migration, whose block writes into the journal; without one there is no entry.
    package func isMigration(_ id: CommitID) -> Bool { isSchemaChange(id) && id.number / 9 % 3 != 2 }

    /// The schema that such a commit makes from the present one, and its migration. The key of the journal's entry is
    /// given where the file is known to have that one.
    package func schemaChange(
        after old: Schema, by id: CommitID, journalKey: ObjectKey? = nil
    ) -> (schema: Schema, migration: Migration?) {
        var random = random(id)
        var classes = Self.withoutJournal(old).classes
        let chosen = random.below(classes.count)
        let name = classes[chosen].name
        var properties = classes[chosen].properties
        var steps: [MigrationStep] = []
        let added = properties.indices.filter { properties[$0].name.hasPrefix("added") }
        let fresh = "added\(id.ordinal)"
        let hasMigration = isMigration(id)
        switch (random.below(hasMigration ? 6 : 3), random.pick(added)) {
        case (0, _):
            let free = properties.indices.filter {
                properties[$0].type.canBeIndexed && properties[$0].name != classes[chosen].primaryKey
            }
            if let index = random.pick(free) { properties[index].isIndexed.toggle() }
        case (1, let index?): properties.remove(at: index)
        case (3, let index?):
            steps = [.rename(class: name, from: properties[index].name, to: fresh)]
            properties[index].name = fresh
        case (4, let index?):
            let base: BaseType = properties[index].type.base == .string ? .int : .string
            let property = properties[index].name
            properties[index] = PropertySchema(property, PropertyType(base, isOptional: true))
            steps = [.convert(class: name, from: property, to: property, fallback: .null)]
        case (let choice, _):
            let base = random.pick([BaseType.int, .string, .double, .date, .uuid]) ?? .int
            let type = PropertyType(base, isOptional: random.oneIn(2))
            properties.append(PropertySchema(fresh, type, isIndexed: type.canBeIndexed && random.oneIn(2)))
            if choice == 5 {
                steps = [.setDefault(class: name, property: fresh, value: RandomValues.value(of: type, &random))]
            }
        }
        classes[chosen].properties = properties
        let schema = Schema(version: id.ordinal, classes: classes + [Self.journal])
        guard hasMigration else { return (schema, nil) }
        return (schema, Migration(steps: steps) { try write(id, migrating: $0, journalKey) })
    }

    /// A migration's block: reads the old objects, changes some, creates none but the journal's entry.
    private func write(_ id: CommitID, migrating transaction: any MigrationTransaction, _ journalKey: ObjectKey?) throws
    {
        var random = random(id)
        for objectClass in transaction.schema.classes {
            guard let number = objectClass["number"], objectClass.name != Self.journalName else { continue }
            let all = BoundQuery(classID: objectClass.id)
            for key in try transaction.select(all, Window(limit: 3)) where random.oneIn(2) {
                guard try transaction.old.exists(objectClass.id, key) else {
                    throw ConformanceFailure("object \(key.rawValue) of \(objectClass.name) is new in a migration")
                }
                try transaction.set(objectClass.id, key, [number.id: .int(Int64(id.number))])
            }
        }
        if let journalKey, let journal = transaction.schema[Self.journalName]?.id {
            (transaction as? ModelTransaction)?.state.tables[journal]?.nextKey = journalKey.rawValue
        }
        try Self.write(id, padding: 3, to: transaction)
        if random.oneIn(8) { throw RolledBack() }
    }

    /// The commit that made this schema; nil for the one that the file started with.
    package func maker(of schema: Schema) -> CommitID? { CommitID(ordinal: schema.version) }

    private static func withoutJournal(_ schema: Schema) -> Schema {
        Schema(version: schema.version, classes: schema.classes.filter { $0.name != journalName })
            .adoptingIdentities(of: schema)
    }

    // MARK: The journal

    private static func write(_ id: CommitID, padding: Int, to transaction: any WriteTransaction) throws {
        guard let journal = transaction.schema[journalName] else { return }
        let numbers = [
            "version": Int64(transaction.version.rawValue), "round": Int64(id.round), "thread": Int64(id.thread),
            "number": Int64(id.number),
        ]
        var values: [PropertyID: Value] = [:]
        for property in journal.properties {
            values[property.id] =
                numbers[property.name].map { .int($0) } ?? .string(String(repeating: ".", count: padding))
        }
        _ = try transaction.create(journal.id, values)
    }

    /// An entry of the journal: the file's record of a commit.
    package struct Entry: Sendable {
        package var version: Version
        package var id: CommitID
        package var key: ObjectKey
    }

    /// The commits of versions after `version`, according to the file, in the order of the versions. Changes of the
    /// schema without a migration are not among them.
    package static func journal(of snapshot: any Snapshot, after version: Version) throws -> [Entry] {
        guard let journal = snapshot.schema[journalName] else {
            throw ConformanceFailure("the journal is gone")
        }
        var entries: [Entry] = []
        for key in try snapshot.select(BoundQuery(classID: journal.id), .all).reversed() {
            func number(_ name: String) throws -> Int {
                guard let property = journal[name]?.id,
                    case .int(let number) = try snapshot.value(journal.id, key, property)
                else { throw ConformanceFailure("'\(name)' of journal entry \(key.rawValue) is gone") }
                return Int(number)
            }
            let made = Version(UInt64(try number("version")))
            guard made > version else { break }
            let id = CommitID(
                round: try number("round"), thread: try number("thread"), number: try number("number"))
            entries.append(Entry(version: made, id: id, key: key))
        }
        return entries.reversed()
    }
}
