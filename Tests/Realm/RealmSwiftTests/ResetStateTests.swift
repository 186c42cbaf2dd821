import Foundation
import ObjectModel
import TestBasics
import Testing

@testable import RealmSwift
@testable import SyncEngine

/// What a client reset does with a realm's state, for each mode, and for a change log that has lost commits, which only
/// `hasLostCommits` tells.
@Suite("The state of a follower through a client reset")
struct ResetStateTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var mode: FollowerSettings.ResetMode
        var hasLost: Bool
        var isBegun: Bool
        var testDescription: String { "\(mode) \(hasLost) \(isBegun)" }

        /// Whether it waits for the program.
        var waits: Bool {
            switch mode {
            case .manual: !isBegun
            case .recover: hasLost && !isBegun
            case .discard, .recoverOrDiscard: false
            }
        }

        /// Whether local changes are undone.
        var discards: Bool {
            switch mode {
            case .manual, .discard: true
            case .recover: isBegun
            case .recoverOrDiscard: hasLost || isBegun
            }
        }
    }

    static let cases: [Case] = [FollowerSettings.ResetMode.recover, .discard, .recoverOrDiscard, .manual].flatMap {
        mode in
        [false, true].flatMap { lost in [false, true].map { Case(mode: mode, hasLost: lost, isBegun: $0) } }
    }

    @Test("what is kept, removed and asked for again", arguments: cases)
    func reset(_ tried: Case) async throws {
        let realm = LonelyRealm()
        // So that it does not begin a reset of its own.
        try await realm.run { _, realm in realm.syncSession?.suspend() }
        try await realm.subscribe(nil, "age < 100")
        try await realm.tell(
            "initial",
            #"""
            {"subscription":"n1","version":10,"items":[{"_id":1,"dog_name":"a","age":1},{"_id":2,"dog_name":"b","age":2}]}
            """#, id: "10-0a1b2c3d.1")
        try await realm.edit { realm in
            realm.create(RulesDog.self, value: ["_id": 3])
            realm.object(ofType: RulesDog.self, forPrimaryKey: 1)?.name = "mine"
        }
        let (mode, isBegun, hasLost) = (tried.mode, tried.isBegun, tried.hasLost)
        let known = try #require(Mark("10-0a1b2c3d"))
        try await realm.run { _, realm in
            let client = try #require(realm.rlm.file?.sync?.client)
            let store = client.stateStore
            #expect(store.syncState.mark == known && store.syncState.reset == nil)
            // Of another state, as a late answer to an earlier request, it says nothing.
            let other = try #require(Mark("9-0a1b2c3d"))
            #expect(try await store.change { syncState, _ in syncState.loseHistory(other) } == false)
            #expect(try await store.change { syncState, _ in syncState.loseHistory(known) })
            #expect(try await store.change { syncState, _ in syncState.loseHistory(known) } == false)
            #expect(store.syncState.reset == .awaited)
            let waits = try await store.change { syncState, _ in
                syncState.hasLostCommits = hasLost
                return syncState.needsProgram(mode) && !isBegun
            }
            #expect(waits == tried.waits)
            guard !waits else { return }
            try await store.change { syncState, transaction in
                try syncState.beginReset(mode, isBegun: isBegun, transaction)
            }
            realm.refresh()
            let view = store.syncState
            #expect(view.reset == .running && view.mark == nil && view.position == nil && view.isPending)
            #expect(view.uploads.isEmpty == tried.discards)
        }
        guard !tried.waits else { return }
        #expect(try await realm.dogs() == (tried.discards ? ["1 mine 1", "2 b 2"] : ["1 mine 1", "2 b 2", "3  0"]))
        // The first result of the other history: 2 is gone, and 1 is as it was.
        try await realm.tell(
            "initial", #"{"subscription":"n1","version":4,"items":[{"_id":1,"dog_name":"a","age":1}]}"#,
            id: "4-11111111.1")
        #expect(try await realm.dogs() == (tried.discards ? ["1 a 1"] : ["1 mine 1", "3  0"]))
        try await realm.run { _, realm in
            let client = try #require(realm.rlm.file?.sync?.client)
            try await client.finishReset()
            let view = client.stateStore.syncState
            #expect(view.reset == nil && view.mark == Mark("4-11111111"))
            #expect(try await client.stateStore.change { syncState, _ in syncState.hasLostCommits } == false)
        }
    }

    @Test("the latest state of a history is known; an answer alone begins no other history, an event does")
    func marks() throws {
        func mark(_ text: String) throws -> Mark { try #require(Mark(text)) }
        var state = SyncState()
        state.note(try mark("5-0000000a"), ofStream: false)
        #expect(state.mark == nil)
        let steps: [(String, Bool, String)] = [
            ("5-0000000a", true, "5-0000000a"), ("4-0000000a", true, "5-0000000a"), ("7-0000000a", false, "7-0000000a"),
            ("6-0000000a", true, "7-0000000a"), ("9-0000000b", false, "7-0000000a"), ("2-0000000b", true, "2-0000000b"),
        ]
        for (text, ofStream, expected) in steps {
            state.note(try mark(text), ofStream: ofStream)
            #expect(state.mark == Mark(expected), "after \(text)")
        }
    }
}
