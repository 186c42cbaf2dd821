import Foundation
import RealmSwift
import Synchronization
import Testing

// Tests which opens return the same instance of a realm, and the notifications of its observers.

class SameRealmThing: Object {
    @Persisted var number: Int
}

private actor SameRealmActor {
    func open(_ configuration: Realm.Configuration) async throws -> [Bool] {
        let first = try await Realm(configuration: configuration, actor: self)
        let second = try await Realm.open(configuration: configuration)
        let third = try await Realm(configuration: configuration, actor: self)
        return [first == second, second == third, first.objects(SameRealmThing.self).realm == third]
    }
}

@Suite("The instances of a realm")
struct SameRealmTests {
    private let configuration = Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [SameRealmThing.self])

    /// A synchronous function, where `Realm(configuration:)` is the synchronous initialiser.
    private func opened() throws -> Realm { try Realm(configuration: configuration) }

    @Test("an actor has one instance, however it is opened")
    func actors() async throws {
        #expect(try await SameRealmActor().open(configuration) == [true, true, true])
    }

    @Test("the main thread, the main queue and the main actor have one instance")
    @MainActor
    func main() async throws {
        let thread = try opened()
        let queue = try Realm(configuration: configuration, queue: .main)
        let asynchronous = try await Realm(configuration: configuration)
        let actor = try await Realm(configuration: configuration, actor: MainActor.shared)
        let isolated = try await Realm.open(configuration: configuration)
        #expect(thread == queue && thread == asynchronous && thread == actor && thread == isolated)
        let later = await withCheckedContinuation { continuation in
            DispatchQueue.main.async { continuation.resume(returning: ((try? self.opened()) != nil)) }
        }
        #expect(later)
        // It stays usable wherever the main actor runs.
        for number in 0..<3 {
            try await Task.sleep(for: .milliseconds(2))
            try thread.write { thread.create(SameRealmThing.self, value: [number]) }
            try await isolated.asyncWrite { isolated.create(SameRealmThing.self, value: [number]) }
        }
        #expect(thread.objects(SameRealmThing.self).count == 6)
    }

    @Test("observers of the main actor's realm are called on it")
    @MainActor
    func observingOnMain() async throws {
        let realm = try await Realm(configuration: configuration)
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        let token = realm.objects(SameRealmThing.self).observe { change in
            switch change {
            case .initial(let all), .update(let all, _, _, _):
                MainActor.assumeIsolated { _ = continuation.yield(all.count) }
            case .error: break
            }
        }
        var counts = stream.makeAsyncIterator()
        #expect(await counts.next() == 0)
        try realm.write { realm.create(SameRealmThing.self) }
        #expect(await counts.next() == 1)
        try await Task.detached {
            let other = { try self.opened() }
            try other().write { try other().create(SameRealmThing.self) }
        }.value
        #expect(await counts.next() == 2)
        token.invalidate()
    }

    @Test("a write after invalidate is told once")
    func invalidate() throws {
        try QueueFixture([SameRealmThing.self]).run { realm in
            try realm.write { _ = realm.create(SameRealmThing.self) }
            var told: [String] = []
            let token = realm.observe { notification, _ in told.append("\(notification)") }
            for _ in 0..<3 {
                realm.invalidate()
                try realm.write { _ = realm.create(SameRealmThing.self) }
            }
            #expect(told == ["didChange", "didChange", "didChange"])
            realm.invalidate()
            #expect(realm.refresh())
            #expect(told.count == 3)
            token.invalidate()
        }
    }

    @Test("what others wrote while a realm was invalidated is told before its own write")
    func foreign() throws {
        let fixture = QueueFixture([SameRealmThing.self])
        let other = QueueFixture(beside: fixture)
        try fixture.run { realm in
            var told = 0
            let token = realm.observe { _, _ in told += 1 }
            realm.invalidate()
            try other.run { realm in try realm.write { _ = realm.create(SameRealmThing.self) } }
            realm.beginWrite()
            #expect(told == 1)
            try realm.commitWrite()
            #expect(told == 2)
            token.invalidate()
        }
    }
}

@Suite("Decimal128 as Realm has it")
struct DecimalTests {
    @Test("a text that is not a number is NaN")
    func text() throws {
        for text in ["", "abc", "1.2.3", "--1", "1e", "nan"] { #expect(try Decimal128(string: text).isNaN, "\(text)") }
        #expect(Decimal128(value: "x").isNaN && Decimal128(value: NSNull()).isNaN)
        #expect(("x" as Decimal128).isNaN && !("1.50" as Decimal128).isNaN)
        #expect(try Decimal128(string: "1.50").description == "1.50")
        #expect(try Decimal128(string: "-Infinity").isInfinite)
        let infinite: Decimal128 = "Infinity"
        #expect("\(infinite) \(-infinite) \(infinite - infinite)" == "Inf -Inf NaN" && infinite.stringValue == "Inf")
        #expect(try JSONDecoder().decode([Decimal128].self, from: JSONEncoder().encode([infinite])) == [infinite])
    }

    @Test("NaN is equal to nothing, and below everything")
    func order() throws {
        let nan: Decimal128 = "x"
        #expect(nan != nan && nan < 1 && !(1 < nan) && nan < "-Infinity" && !(nan < nan) && 1 > nan)
        #expect((nan + 1).isNaN && (nan * 0).isNaN && (1 / nan).isNaN && (-nan).isNaN)
        #expect(((1 as Decimal128) / 0).isInfinite && ((0 as Decimal128) / 0).isNaN)
    }

    @Test("negate changes the instance")
    func negate() {
        let number: Decimal128 = -123.321
        let same = number
        number.negate()
        #expect(number == 123.321 && same == 123.321)
        #expect((-150 as Decimal128).advanced(by: 300) == 150 && (10 as Decimal128).distance(to: 5) == -5)
    }

    @Test("the schema version of a file that is not there")
    func version() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        #expect(throws: Realm.Error.self) { try schemaVersionAtURL(url) }
        do {
            _ = try schemaVersionAtURL(url)
        } catch let error as Realm.Error {
            #expect(error.code == .invalidDatabase)
            #expect(error.localizedDescription == "Realm at path '\(url.path)' has not been initialized.")
        }
        #expect(!FileManager.default.fileExists(atPath: url.path))
        do {
            _ = try schemaVersionAtURL(URL(fileURLWithPath: "/dev/null"))
            Issue.record("a version was read")
        } catch let error as Realm.Error {
            #expect([.fileAccess, .filePermissionDenied].contains(error.code))
        }
    }
}
