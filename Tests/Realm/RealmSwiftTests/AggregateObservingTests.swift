import Foundation
import RealmSwift
import TestBasics
import Testing

class TalliedHop: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var carrier: String
    @Persisted var delay: Int?
    @Persisted var miles: Double
    @Persisted var price: Decimal128
    @Persisted var stops: List<String>
    override class func propertiesMapping() -> [String: String] { ["delay": "late"] }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class TalliedTrip: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var hops: List<TalliedHop>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// `observeAggregate`, which Realm Swift does not have.
@Suite("Observing aggregates")
struct AggregateObservingTests {
    private let fixture = QueueFixture([TalliedHop.self, TalliedTrip.self])

    private static let asked: [RealmAggregate<TalliedHop>] = [
        .sum(of: \.delay), .average(of: \.delay), .min(of: \.miles), .max(ofProperty: "delay"), .sum(of: \.price),
    ]

    private func write(_ body: @Sendable (Realm) throws -> Void) throws {
        try fixture.run { realm in
            try realm.write { try body(realm) }
            realm.refresh()
        }
    }

    @discardableResult
    private static func add(_ realm: Realm, _ id: Int, _ carrier: String, _ delay: Int?, miles: Double = 1)
        -> TalliedHop
    {
        let hop = TalliedHop()
        (hop.id, hop.carrier, hop.delay, hop.miles, hop.price) = (id, carrier, delay, miles, "0.10")
        realm.add(hop)
        return hop
    }

    private static func text(_ values: RealmAggregateValues<TalliedHop>) -> String {
        let mean: Double? = values.average(of: \.delay)
        let (least, most): (Double?, Int?) = (values.min(of: \.miles), values.max(ofProperty: "delay"))
        func shown<T>(_ value: T?) -> String { value.map { "\($0)" } ?? "-" }
        let (sum, price) = (values.sum(of: \.delay) ?? 0, values.sum(of: \.price))
        return "\(values.count) \(sum) \(shown(mean)) \(shown(least)) \(shown(most)) \(price)"
    }

    private static func text(_ change: RealmAggregateChange<TalliedHop>) -> String {
        switch change {
        case .initial(let values): "initial \(text(values))"
        case .update(let values): text(values)
        }
    }

    private static func text(_ change: RealmAggregateGroupsChange<TalliedHop, String>) -> String {
        func shown(_ groups: [RealmAggregateGroup<TalliedHop, String>]) -> String {
            groups.map { group in "\(group.key):\(group.values.count):\(group.values.sum(of: \.delay) ?? 0)" }
                .joined(separator: " ")
        }
        return switch change {
        case .initial(let groups): "initial \(shown(groups))"
        case .update(let groups, let deletions, let insertions, let modifications):
            "\(shown(groups)) \(deletions) \(insertions) \(modifications)"
        }
    }

    @Test("the block is told the values at first, and then whenever one of them is another one")
    func values() async throws {
        try fixture.run { [fixture] realm in
            fixture.keep(
                realm.objects(TalliedHop.self).filter("carrier == 'AA'").observeAggregate(Self.asked) {
                    fixture.note(Self.text($0))
                })
        }
        _ = try await fixture.notes(1)
        try write { Self.add($0, 1, "AA", 4, miles: 7) }
        // Neither what does not match, nor another property.
        try write { Self.add($0, 2, "UA", 90) }
        try write { $0.objects(TalliedHop.self)[0].stops.append("ORD") }
        try write { Self.add($0, 3, "AA", nil, miles: 3) }
        try write { $0.objects(TalliedHop.self)[1].carrier = "AA" }
        try write { $0.objects(TalliedHop.self)[1].delay = 90 }
        try write { realm in realm.delete(realm.objects(TalliedHop.self)) }
        #expect(
            try await fixture.notes(5) == [
                "initial 0 0 - - - 0", "1 4 4.0 7.0 4 0.1", "2 4 4.0 3.0 4 0.2", "3 94 47.0 1.0 90 0.3", "0 0 - - - 0",
            ])
    }

    @Test("groups come, go and change by position, and are ascending by their keys")
    func groups() async throws {
        try write {
            Self.add($0, 1, "DL", 1)
            Self.add($0, 2, "UA", 2)
        }
        try fixture.run { [fixture] realm in
            fixture.keep(
                realm.objects(TalliedHop.self).observeAggregate([.sum(of: \.delay)], by: \.carrier) {
                    fixture.note(Self.text($0))
                })
        }
        _ = try await fixture.notes(1)
        try write { Self.add($0, 3, "AA", 3) }
        try write { $0.objects(TalliedHop.self)[0].carrier = "UA" }
        try write { $0.objects(TalliedHop.self)[0].miles = 9 }
        try write { $0.objects(TalliedHop.self)[2].delay = 5 }
        #expect(
            try await fixture.notes(4) == [
                "initial DL:1:1 UA:1:2", "AA:1:3 DL:1:1 UA:1:2 [] [0] []", "AA:1:3 UA:2:3 [1] [] [2]",
                "AA:1:5 UA:2:3 [] [] [0]",
            ])
    }

    @Test("lists of objects have aggregates, other queues and actors are told, and tokens end it")
    func places() async throws {
        let (actor, queue) = (MapActor(), DispatchQueue(label: "other"))
        try write { realm in
            let trip = realm.create(TalliedTrip.self, value: ["id": 1])
            trip.hops.append(Self.add(realm, 1, "AA", 5))
            Self.add(realm, 2, "AA", 50)
        }
        try fixture.run { [fixture] realm in
            let hops = realm.objects(TalliedTrip.self)[0].hops
            fixture.keep(hops.observeAggregate(Self.asked, on: queue) { fixture.note("q " + Self.text($0)) })
            fixture.keep(
                hops.observeAggregate([.sum(of: \.delay)], by: \.carrier, on: queue) {
                    fixture.note("g " + Self.text($0))
                })
        }
        let token = await Self.observe(fixture.configuration, on: actor)
        let groups = await Self.observeGroups(fixture.configuration, on: actor)
        _ = try await actor.notes(2)
        _ = try await fixture.notes(2)
        try write { realm in realm.objects(TalliedTrip.self)[0].hops.append(realm.objects(TalliedHop.self)[1]) }
        let (first, second) = ("initial 1 5 5.0 1.0 5 0.1", "2 55 27.5 1.0 50 0.2")
        #expect(try await actor.notes(4).sorted() == [second, "AA:2:55 [] [] [0]", first, "initial AA:1:5"].sorted())
        #expect(
            try await fixture.notes(4).sorted()
                == ["g AA:2:55 [] [] [0]", "g initial AA:1:5", "q " + second, "q " + first])
        token.invalidate()
        groups.invalidate()
        fixture.dropTokens()
        try write { $0.objects(TalliedHop.self)[0].delay = 7 }
        // A later observer is told, and these were not.
        try fixture.run { [fixture] realm in
            fixture.keep(realm.objects(TalliedHop.self).observeAggregate { _ in fixture.note("z") })
        }
        #expect(try await fixture.notes(5).sorted().last == "z")
        #expect(await actor.notes.count == 4)
    }

    @MainActor
    private static func observe(_ configuration: Realm.Configuration, on actor: MapActor) async -> NotificationToken {
        guard let realm = try? await Realm(configuration: configuration) else { fatalError("no realm") }
        return await realm.objects(TalliedTrip.self)[0].hops.observeAggregate(asked, on: actor) { actor, change in
            actor.note(text(change))
        }
    }

    @MainActor
    private static func observeGroups(
        _ configuration: Realm.Configuration, on actor: MapActor
    ) async -> NotificationToken {
        guard let realm = try? await Realm(configuration: configuration) else { fatalError("no realm") }
        return await realm.objects(TalliedTrip.self)[0].hops.observeAggregate(
            [.sum(of: \.delay)], by: \.carrier, on: actor
        ) { actor, change in
            actor.note(text(change))
        }
    }

    @Test("the end of the list's owner ends the observation, and a write can leave an observer out")
    func ends() async throws {
        try write { realm in
            realm.create(TalliedTrip.self, value: ["id": 1]).hops.append(Self.add(realm, 1, "AA", 5))
        }
        try fixture.run { [fixture] realm in
            fixture.keep(
                realm.objects(TalliedTrip.self)[0].hops.observeAggregate { change in
                    if case .update(let values) = change {
                        fixture.note("\(values.count)")
                    } else {
                        fixture.note("initial")
                    }
                })
        }
        _ = try await fixture.notes(1)
        try fixture.run { [fixture] realm in
            try realm.write(withoutNotifying: fixture.kept) {
                realm.objects(TalliedTrip.self)[0].hops.append(Self.add(realm, 2, "AA", 5))
            }
        }
        try write { realm in realm.objects(TalliedTrip.self)[0].hops.append(Self.add(realm, 3, "AA", 5)) }
        #expect(try await fixture.notes(2) == ["initial", "3"])
        try write { realm in realm.delete(realm.objects(TalliedTrip.self)[0]) }
        #expect(try await fixture.notes(3) == ["initial", "3", "0"])
    }

    @Test("what cannot be observed says why")
    func misuse() async throws {
        let configuration = fixture.configuration
        let queue = DispatchQueue(label: "q")
        func message(_ body: @escaping @Sendable (Results<TalliedHop>) throws -> NotificationToken) async -> String? {
            await exception { _ = try body(Realm(configuration: configuration).objects(TalliedHop.self)) }
        }
        #expect(
            await message { $0.observeAggregate { _ in } } == "Can only add notification blocks from within runloops.")
        #expect(
            await message { $0.freeze().observeAggregate(on: queue) { _ in } }
                == "Frozen Realms do not change and do not have change notifications.")
        #expect(
            await message { hops in
                hops.realm?.beginWrite()
                defer { hops.realm?.cancelWrite() }
                return hops.observeAggregate(on: queue) { _ in }
            } == "Cannot create asynchronous query after making changes in a write transaction.")
        #expect(
            await message { $0.observeAggregate([.sum(ofProperty: "tail")], on: queue) { _ in } }
                == "Invalid property name: property 'tail' not found in object of type 'TalliedHop'")
        #expect(
            await message { $0.observeAggregate([.sum(ofProperty: "carrier")], on: queue) { _ in } }
                == "Operation 'sum' not supported for string property 'TalliedHop.carrier'")
        #expect(
            await exception { _ = List<TalliedHop>().observeAggregate { _ in } }
                == "Change notifications are only supported on managed collections.")
        // Values that were not asked for.
        let asked = try await first([.min(of: \.miles)])
        #expect(
            await exception { _ = asked.value.sum(of: \.miles) }
                == "The sum of 'miles' is not observed: give it to observeAggregate.")
    }

    private struct Sent: @unchecked Sendable {
        let value: RealmAggregateValues<TalliedHop>
    }

    /// Values have no thread.
    private func first(_ aggregates: [RealmAggregate<TalliedHop>]) async throws -> Sent {
        try await withCheckedThrowingContinuation { continuation in
            do {
                try fixture.run { [fixture] realm in
                    fixture.keep(
                        realm.objects(TalliedHop.self).observeAggregate(aggregates) { change in
                            if case .initial(let values) = change {
                                continuation.resume(returning: Sent(value: values))
                            }
                        })
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    @Test("after every write, the values are those that the collection gives", arguments: 0..<3)
    func histories(_ round: Int) async throws {
        var random = SeededRandom.ofTest(round)
        try write { Self.add($0, 0, "AA", 0) }
        try fixture.run { [fixture] realm in
            let hops = realm.objects(TalliedHop.self).where { $0.miles < 6 }
            fixture.keep(
                hops.observeAggregate(Self.asked) { change in
                    let values =
                        switch change {
                        case .initial(let values), .update(let values): values
                        }
                    let mean: Double? = hops.average(ofProperty: "delay")
                    let told: Double? = values.average(of: \.delay)
                    let isRight =
                        values.count == hops.count && values.sum(of: \.delay) == hops.sum(of: \.delay) && mean == told
                        && values.min(of: \.miles) == hops.min(of: \.miles)
                        && values.max(ofProperty: "delay") as Int? == hops.max(ofProperty: "delay") as Int?
                        && values.sum(of: \.price) == hops.sum(of: \.price)
                    if !isRight { fixture.note("wrong: \(Self.text(values))") }
                    if case .initial = change { fixture.note("initial") }
                    // Versions that follow each other quickly are one change.
                    if realm.object(ofType: TalliedHop.self, forPrimaryKey: 1000) != nil { fixture.note("last") }
                })
        }
        _ = try await fixture.notes(1)
        for step in 1..<60 {
            let (kind, id, delay, miles) = (
                random.below(4), random.below(step), random.below(50), Double(random.below(9))
            )
            try write { realm in
                let hop = realm.object(ofType: TalliedHop.self, forPrimaryKey: id)
                switch kind {
                case 0: if let hop { realm.delete(hop) }
                case 1: hop?.delay = delay % 5 == 0 ? nil : delay
                case 2: hop?.miles = miles
                default: Self.add(realm, step, "AA", delay, miles: miles)
                }
            }
        }
        try write { Self.add($0, 1000, "AA", 0) }
        let notes = try await fixture.notes(2)
        #expect(notes == ["initial", "last"], "seed \(random.seed): \(notes)")
    }
}
