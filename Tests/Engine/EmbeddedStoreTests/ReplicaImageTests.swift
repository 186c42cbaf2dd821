import EmbeddedTesting
import Foundation
import ObjectModel
import RepositoryFiles
import StoreContract
import StoreTesting
import TestBasics
import Testing

@testable import StorageEngine
@testable import EmbeddedStore

@Suite("Replicas and the images of a log")
struct ReplicaImageTests {
    /// A log with pets, and the stores that share it.
    final class Home {
        let directory: TestDirectory
        let log = MemoryLog()
        let first: EmbeddedStore
        let pets: Pets
        private(set) var news: [String] = []
        private var stores: [EmbeddedStore] = []
        private var random = SeededRandom.ofTest()

        init() throws {
            directory = try TestDirectory()
            first = try EmbeddedStore.open(
                path: directory.file("first"), log: log.connect(), options: smallClusters())
            try first.replaceSchema(with: petSchema)
            pets = try Pets(first)
        }

        deinit {
            for store in stores + [first] { store.close() }
        }

        /// Opens another replica, and keeps what its start has to say.
        func open(_ name: String, _ connection: MemoryLog.Connection? = nil) throws -> EmbeddedStore {
            news = []
            let store = try EmbeddedStore.open(
                path: directory.file(name), log: connection ?? log.connect(), options: smallClusters()
            ) { [unowned self] in
                switch $0 {
                case .discarded: news.append("discarded")
                case .setAside: news.append("set aside")
                case .unusableImage(let image, _): news.append("unusable \(image.position.version)")
                case .fetched(let image): news.append("fetched \(image.position.version)")
                case .fetching, .applied: break
                }
            }
            stores.append(store)
            return store
        }

        func write(_ count: Int) throws {
            let (dog, name) = (pets.dog.id, pets.dog("name"))
            for _ in 0..<count {
                let (high, low) = (random.next(), random.next())
                try first.write { _ = try $0.create(dog, [name: .string("\(high) \(low)")]) }
            }
        }

        @discardableResult
        func image() throws -> LogImage {
            try #require(
                try first.makeImage(by: .init(repeating: 1, count: 16), copy: directory.file("copy")))
        }

        func requireEqual(_ store: EmbeddedStore) throws { try ReplicaComparison.requireEqual(first, store) }
    }

    private func code(_ body: () throws -> Void) -> StoreError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? StoreError)?.code
        }
    }

    @Test("a replica without a file takes the newest image, and the log after it")
    func newest() throws {
        let home = try Home()
        try home.write(5)
        try home.image()
        try home.write(5)
        let image = try home.image()
        try home.write(5)
        home.log.trim(to: image.position.version)
        let connection = home.log.connect()
        let store = try home.open("second", connection)
        #expect(home.news == ["fetched \(image.position.version)"])
        #expect(connection.entriesRead == 5)
        try home.requireEqual(store)
        let names = try FileManager.default.contentsOfDirectory(atPath: home.directory.path)
        #expect(names.allSatisfy { !$0.hasSuffix(".image") && !$0.hasPrefix("copy") })
    }

    @Test(
        "a damaged image is not used, but the one before it",
        arguments: ["one byte", "half of it", "nothing of it", "another page, and the hash of that", "another version"])
    func damaged(how: String) throws {
        let home = try Home()
        try home.write(5)
        let good = try home.image()
        try home.write(5)
        let bad = try home.image()
        let bytes = try #require(home.log.images.bytes(of: bad))
        func replace(_ bytes: [UInt8], at position: LogPosition = bad.position) {
            home.log.images.add(
                LogImage(
                    position: position, parts: bad.parts, bytes: Int64(bytes.count), sha256: MemoryImages.sum(bytes),
                    fileFormat: bad.fileFormat, isComplete: true), bytes)
        }
        switch how {
        case "one byte":
            home.log.images.damage(bad) { bytes in
                var bytes = bytes
                bytes[bytes.count / 2] ^= 1
                return bytes
            }
        case "half of it": home.log.images.damage(bad) { Array($0.prefix($0.count / 2)) }
        case "nothing of it": replace([])
        case "another version": replace(try #require(home.log.images.bytes(of: good)))
        default:
            var bytes = bytes
            for index in 2 * 4096..<3 * 4096 { bytes[index] = 0xA5 }
            replace(bytes)
        }
        let store = try home.open("second")
        #expect(home.news == ["unusable \(bad.position.version)", "fetched \(good.position.version)"])
        try home.requireEqual(store)
    }

    @Test("without a usable image the log is read from its beginning, and an error says when it has none")
    func none() throws {
        let home = try Home()
        try home.write(5)
        let image = try home.image()
        home.log.images.damage(image) { Array($0.dropLast()) }
        let store = try home.open("second")
        #expect(home.news == ["unusable \(image.position.version)"])
        try home.requireEqual(store)
        home.log.trim(to: image.position.version)
        #expect(code { _ = try home.open("third") } == .logDamaged)
        #expect(!FileManager.default.fileExists(atPath: home.directory.file("third")))
        let other = MemoryLog()
        other.trim(to: Version(9))
        #expect(code { _ = try home.open("fourth", other.connect()) } == .versionGone)
    }

    @Test("an image of a newer format of the file is left to newer programs")
    func format() throws {
        let home = try Home()
        let image = try home.image()
        let newer = LogImage(
            position: image.position, parts: image.parts, bytes: image.bytes, sha256: image.sha256,
            fileFormat: image.fileFormat + 1, isComplete: true)
        home.log.images.add(newer, try #require(home.log.images.bytes(of: image)))
        try home.requireEqual(try home.open("second"))
        #expect(home.news == ["unusable \(image.position.version)"])
        home.log.trim(to: image.position.version)
        #expect(code { _ = try home.open("third") } == .unsupportedFormat)
    }

    @Test("a replica that stood still while the log was trimmed is made again from an image, at its next start")
    func trimmed() throws {
        let home = try Home()
        try home.open("second").close()
        try home.write(5)
        try home.image()
        try home.write(5)
        let image = try home.image()
        home.log.trim(to: image.position.version)
        let store = try home.open("second")
        #expect(home.news == ["discarded", "fetched \(image.position.version)"])
        try home.requireEqual(store)
    }

    @Test("a replica with commits that the log has lost is replaced, at its next start")
    func fork() throws {
        let home = try Home()
        try home.write(3)
        let second = try home.open("second")
        try home.image()
        try home.write(2)
        let before = try home.first.snapshot().mark
        #expect(try eventually { try second.snapshot().mark == before })
        second.close()
        home.first.close()
        home.log.lose(2)
        let other = try home.open("third")
        let dog = home.pets.dog.id, name = home.pets.dog("name")
        try other.write { _ = try $0.create(dog, [name: .string("another")]) }
        let again = try home.open("second")
        #expect(home.news.first == "discarded" && home.news.count == 2)
        try ReplicaComparison.requireEqual(other, again)
    }

    @Test("a file of another log, a damaged one, and an empty one are replaced; a database of its own is not touched")
    func files() throws {
        let home = try Home()
        try home.write(200)
        let image = try home.image()
        let fetched = "fetched \(image.position.version)"

        let other = MemoryLog()
        try EmbeddedStore.open(path: home.directory.file("second"), log: other.connect()).close()
        try home.requireEqual(try home.open("second"))
        #expect(home.news == ["discarded", fetched])

        try home.open("third").close()
        let path = home.directory.file("third")
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        for index in 2 * 4096..<bytes.count { bytes[index] = 0xA5 }
        try bytes.write(to: URL(fileURLWithPath: path))
        try home.requireEqual(try home.open("third"))
        #expect(home.news == ["set aside", fetched])
        #expect(try Data(contentsOf: URL(fileURLWithPath: path + ".damaged")) == bytes)

        FileManager.default.createFile(atPath: home.directory.file("fourth"), contents: Data())
        try home.requireEqual(try home.open("fourth"))
        #expect(home.news == [fetched])

        let (own, _) = try openPets(home.directory.file("own"))
        own.close()
        let text = Data("not a database".utf8)
        try text.write(to: URL(fileURLWithPath: home.directory.file("text")))
        for name in ["own", "text"] {
            let before = try Data(contentsOf: URL(fileURLWithPath: home.directory.file(name)))
            #expect(code { _ = try home.open(name) } == .invalidFile)
            #expect(try Data(contentsOf: URL(fileURLWithPath: home.directory.file(name))) == before)
        }
    }

    @Test(
        "a replica that was open when the machine crashed is replaced; one that was open when its program ended is used"
    )
    func crash() throws {
        let home = try Home()
        try home.write(50)
        let image = try home.image()
        try home.requireEqual(try home.open("open"))
        let bytes = try Data(contentsOf: URL(fileURLWithPath: home.directory.file("open")))
        func record(_ run: UInt64) -> Data {
            withUnsafeBytes(of: UInt64(bitPattern: home.log.id).bigEndian) { Data($0) }
                + withUnsafeBytes(of: run.bigEndian) { Data($0) }
        }
        let present = record(ReplicaRecord.presentRun)
        let cases: [(run: UInt64, news: [String])] = [
            (ReplicaRecord.presentRun, []),
            (ReplicaRecord.presentRun ^ 1, ["discarded", "fetched \(image.position.version)"]),
        ]
        for (run, news) in cases {
            var left = bytes
            var start = left.startIndex
            while let position = left.range(of: present, in: start..<left.endIndex) {
                left.replaceSubrange(position, with: record(run))
                start = position.upperBound
            }
            // The record is there, perhaps in an older page as well.
            #expect(start > left.startIndex)
            try left.write(to: URL(fileURLWithPath: home.directory.file("left \(run)")))
            try home.requireEqual(try home.open("left \(run)"))
            #expect(home.news == news)
        }
    }

    @Test("a log that is away during the download leaves nothing, and the next start succeeds")
    func away() throws {
        let home = try Home()
        try home.write(50)
        try home.image()
        for call in 0..<12 {
            let faults = LogFaults()
            faults.plan(.read, after: call, .unavailable)
            #expect(code { try home.open("second", home.log.connect(faults)).close() } == .logUnavailable)
            let names = try FileManager.default.contentsOfDirectory(atPath: home.directory.path)
            #expect(!names.contains { $0.hasSuffix(".image") })
            try? FileManager.default.removeItem(atPath: home.directory.file("second"))
        }
        try home.requireEqual(try home.open("second"))
    }

    @Test("an image is due when the log above the newest one is longer than it, and than a minimum")
    func due() throws {
        let home = try Home()
        #expect(try !home.first.isImageDue())
        #expect(try home.first.isImageDue(least: 10))
        try home.image()
        #expect(try !home.first.isImageDue(least: 10))
        let image = try #require(home.log.images.all.first)
        while try home.log.connect().entryBytes(after: image.position.version) <= image.bytes { try home.write(50) }
        #expect(try home.first.isImageDue(least: 10))
        #expect(try !home.first.isImageDue())
    }

    @Test("one store makes an image at a time, none of a version that has one, and two are kept")
    func making() throws {
        let home = try Home()
        let connection = home.log.connect()
        let other = [UInt8](repeating: 9, count: 16)
        #expect(try connection.claimImage(by: other))
        let maker = [UInt8](repeating: 1, count: 16)
        #expect(try home.first.makeImage(by: maker, copy: home.directory.file("copy")) == nil)
        try connection.releaseImage(by: other)
        let first = try home.image()
        #expect(first.position == home.log.entries.last.map { LogPosition($0.version, $0.tag) })
        #expect(try home.first.makeImage(by: maker, copy: home.directory.file("copy")) == nil)
        for _ in 0..<3 {
            try home.write(1)
            try home.image()
        }
        let version = try home.first.snapshot().version.rawValue
        #expect(home.log.images.all.map(\.position.version.rawValue) == [version, version - 1])
        #expect(try connection.claimImage(by: other))
    }

    @Test("a database file becomes the beginning of a log: its objects, another mark, no history")
    func beginning() throws {
        let home = try Home()
        let (own, pets) = try openPets(home.directory.file("own"))
        try own.write { _ = try $0.create(pets.dog.id, [pets.dog("name"): .string("Rex")]) }
        let mark = try own.snapshot().mark
        own.close()
        let beginning = try LogBeginning(
            of: home.directory.file("own"), at: home.directory.file("beginning"),
            version: { Version($0.rawValue + 1000) })
        let log = MemoryLog()
        let image = try beginning.upload(to: log.connect())
        beginning.remove()
        #expect(image.position == beginning.position && image.position.version.rawValue == mark.version.rawValue + 1000)
        log.begin(at: image.position)
        let store = try home.open("second", log.connect())
        let snapshot = try store.snapshot()
        #expect(snapshot.mark.version == image.position.version && snapshot.tag == image.position.tag)
        #expect(try snapshot.count(of: pets.dog.id) == 1)
        #expect(try store.tag(of: mark.version) == nil)
        try store.write { _ = try $0.create(pets.dog.id, [pets.dog("name"): .string("Ada")]) }
        let third = try home.open("third", log.connect())
        #expect(try third.snapshot().mark == store.snapshot().mark)
        for store in [store, third] {
            #expect(try store.snapshot().count(of: pets.dog.id) == 2)
            #expect(try store.tag(of: image.position.version) == image.position.tag)
            #expect(try store.changes(after: image.position.version)?.count == 1)
            #expect(try store.changes(after: mark.version) == nil)
        }
    }
}
