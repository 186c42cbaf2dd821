package import ObjectModel
import QueryLanguage
package import StoreContract

/// Commits that can be made again from their number alone.
///
/// What a commit does follows from the seed, its `CommitID` and the state that it starts from, and it writes its
/// number into the store, into the class `Journal`. So whatever happened to the process that wrote a file: the
/// journal says which commits are in the file, and a model that makes them again has to look the same.
package struct DurableHistory: Sendable {
    package let seed: UInt64
    /// Objects that a store has about, apart from the journal.
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

        /// The number of the first primary key that the commit may give.
        fileprivate var firstKey: Int64 { Int64((round * 64 + thread) << 28 + number << 8) }

        /// Distinct for each commit; also the version of a schema that the commit makes. Rises with the numbers
        /// of a thread. The first two belong to the schema that a file starts with.
        fileprivate var ordinal: UInt64 { UInt64((round * 64 + thread) << 28 + number + 2) }

        fileprivate init?(ordinal: UInt64) {
            guard ordinal >= 2 else { return nil }
            number = Int((ordinal - 2) & (1 << 28 - 1))
            thread = Int((ordinal - 2) >> 28 & 63)
            round = Int((ordinal - 2) >> 34)
        }
    }

    /// What a commit throws to be rolled back.
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

    /// Does what the commit does. Throws `RolledBack` once in twelve times, when everything is done.
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

    /// The schema that such a commit makes from the one that is there.
    package func schema(after old: Schema, by id: CommitID) -> Schema {
        var random = random(id)
        var classes = Self.withoutJournal(old).classes
        let chosen = random.below(classes.count)
        var properties = classes[chosen].properties
        let added = properties.indices.filter { properties[$0].name.hasPrefix("added") }
        switch random.below(3) {
        case 0:
            let free = properties.indices.filter {
                properties[$0].type.canBeIndexed && properties[$0].name != classes[chosen].primaryKey
            }
            if let index = random.pick(free) { properties[index].isIndexed.toggle() }
        case 1 where !added.isEmpty:
            if let index = random.pick(added) { properties.remove(at: index) }
        default:
            let base = random.pick([BaseType.int, .string, .double, .date, .uuid]) ?? .int
            properties.append(
                PropertySchema("added\(id.ordinal)", PropertyType(base, isOptional: random.oneIn(2))))
        }
        classes[chosen].properties = properties
        return Schema(version: id.ordinal, classes: classes + [Self.journal])
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

    /// The commits of versions after `version`, as the file remembers them, in the order of the versions. Changes
    /// of the schema are not among them.
    package static func journal(of snapshot: any Snapshot, after version: Version) throws -> [(Version, CommitID)] {
        guard let journal = snapshot.schema[journalName] else {
            throw ConformanceFailure("the journal is gone")
        }
        var entries: [(Version, CommitID)] = []
        for key in try snapshot.select(BoundQuery(classID: journal.id), .all).reversed() {
            func number(_ name: String) throws -> Int {
                guard let property = journal[name]?.id,
                    case .int(let number) = try snapshot.value(journal.id, key, property)
                else { throw ConformanceFailure("'\(name)' of journal entry \(key.rawValue) is gone") }
                return Int(number)
            }
            let entry = Version(UInt64(try number("version")))
            guard entry > version else { break }
            let id = CommitID(
                round: try number("round"), thread: try number("thread"), number: try number("number"))
            entries.append((entry, id))
        }
        return entries.reversed()
    }
}
