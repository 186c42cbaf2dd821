import Foundation
import RealmSwift
import Testing

class SectionWord: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var word = ""
    @Persisted var note: String?
    @Persisted var likes = 0
    @Persisted var friend: SectionWord?

    var initial: String { String(word.prefix(1)) }
}

final class SectionWordView: Projection<SectionWord> {
    @Projected(\SectionWord.word) var text
    @Projected(\SectionWord.likes) var hearts

    var letter: String { String(text.prefix(1)) }
}

class SectionShelf: Object {
    @Persisted var words: List<SectionWord>
    @Persisted var numbers: List<Int>
}

@Suite("Sections")
struct SectionTests {
    private let fixture = QueueFixture([SectionWord.self, SectionShelf.self])

    private static func sections(_ realm: Realm) -> SectionedResults<String, SectionWord> {
        realm.objects(SectionWord.self).sectioned(sortDescriptors: ["word"]) { $0.initial }
    }

    private static func text(_ sections: SectionedResults<String, SectionWord>) -> String {
        sections.map { "\($0.key)[\($0.map(\.word).joined(separator: ", "))]" }.joined(separator: " ")
    }

    private static func paths(_ paths: [IndexPath]) -> String {
        paths.map { "(\($0.section),\($0.item))" }.joined()
    }

    private static func text<C>(_ change: SectionedResultsChange<C>) -> String {
        switch change {
        case .initial: return "initial"
        case .update(_, let deletions, let insertions, let modifications, let come, let deleted):
            let marks = come.map { "+\($0)" } + deleted.map { "-\($0)" }
            return (marks + ["D" + paths(deletions), "I" + paths(insertions), "M" + paths(modifications)])
                .joined(separator: " ")
        }
    }

    /// Old sections of the worked examples: a[adam, alma] b[bert] c[cleo].
    private static func fill(_ realm: Realm) throws {
        try realm.write {
            for (id, word) in ["adam", "alma", "bert", "cleo"].enumerated() {
                realm.create(SectionWord.self, value: ["id": id, "word": word])
            }
        }
    }

    private static func word(_ realm: Realm, _ text: String) -> SectionWord? {
        realm.objects(SectionWord.self).first { $0.word == text }
    }

    private static func add(_ realm: Realm, _ word: String) {
        realm.create(SectionWord.self, value: ["id": 100 + realm.objects(SectionWord.self).count, "word": word])
    }

    private static func delete(_ realm: Realm, _ text: String) {
        if let word = word(realm, text) { realm.delete(word) }
    }

    struct Example: Sendable, CustomTestStringConvertible {
        let number: Int
        let change: @Sendable (Realm) -> Void
        let told: String
        var testDescription: String { "\(number)" }
    }

    static let examples = [
        Example(number: 57, change: { word($0, "alma")?.note = "x" }, told: "D I M(0,1)"),
        Example(number: 58, change: { add($0, "dora") }, told: "+3 D I(3,0) M"),
        Example(number: 59, change: { delete($0, "bert") }, told: "-1 D I M"),
        Example(number: 60, change: { word($0, "adam")?.word = "zed" }, told: "+3 D(0,0) I(3,0) M"),
        Example(number: 61, change: { word($0, "alma")?.word = "bela" }, told: "D(0,1) I(1,0) M"),
        Example(number: 62, change: { word($0, "cleo")?.word = "dirk" }, told: "+2 -2 D I(2,0) M"),
        Example(number: 63, change: { word($0, "adam")?.word = "anna" }, told: "D(0,0) I(0,1) M"),
        Example(
            number: 64,
            change: {
                delete($0, "bert")
                word($0, "cleo")?.note = "x"
            }, told: "-1 D I M(2,0)"),
        Example(
            number: 65,
            change: {
                add($0, "bea")
                word($0, "bert")?.note = "x"
            }, told: "D(1,0) I(1,0)(1,1) M"),
        Example(number: 66, change: { $0.deleteAll() }, told: "-0 -1 -2 D I M"),
    ]

    @Test(
        """
        SectionedResults.observe SectionedResultsChange.{initial,update} observers of sections are told the \
        worked examples' changes
        """, arguments: examples)
    func workedExamples(_ example: Example) async throws {
        try fixture.run { [fixture] realm in
            try Self.fill(realm)
            let sections = Self.sections(realm)
            #expect(Self.text(sections) == "a[adam, alma] b[bert] c[cleo]")
            fixture.keep(sections.observe { fixture.note(Self.text($0)) })
        }
        _ = try await fixture.notes(1)
        try fixture.run { realm in try realm.write { example.change(realm) } }
        #expect(try await fixture.notes(2) == ["initial", example.told])
    }

    @Test("ResultsSection.observe the observer of one section is told what concerns it: examples 67, 68 and 69")
    func oneSection() async throws {
        try fixture.run { [fixture] realm in
            try Self.fill(realm)
            let sections = Self.sections(realm)
            fixture.keep(sections[1].observe { fixture.note("b " + Self.text($0)) })
            fixture.keep(sections[2].observe { fixture.note("c " + Self.text($0)) })
        }
        _ = try await fixture.notes(2)
        try fixture.run { realm in try realm.write { Self.word(realm, "adam")?.word = "zed" } }
        try fixture.run { realm in _ = realm.refresh() }
        try fixture.run { realm in try realm.write { Self.delete(realm, "bert") } }
        _ = try await fixture.notes(3)
        try fixture.run { realm in try realm.write { Self.add(realm, "bo") } }
        #expect(try await fixture.notes(4) == ["b initial", "c initial", "b -1 D I M", "b +1 D I(1,0) M"])
    }

    @Test(
        """
        ResultsSection.{key,id,count,subscript(Int),isInvalidated} a section is bound to its key: it moves, \
        goes and comes again
        """)
    func bound() async throws {
        try fixture.run { realm in
            try Self.fill(realm)
            let sections = Self.sections(realm)
            let section = sections[1]
            #expect(section.key == "b" && section.id == "b" && section.count == 1 && section[0].word == "bert")
            try realm.write { Self.add(realm, "aaa") }
            try realm.write { Self.delete(realm, "adam") }
            try realm.write { for word in ["aaa", "alma"] { Self.delete(realm, word) } }
            #expect(sections.allKeys == ["b", "c"] && section[0].word == "bert" && sections[0] == section)
            try realm.write { Self.delete(realm, "bert") }
            #expect(section.isInvalidated && section.count == 0 && Array(section).isEmpty)
            try realm.write { Self.add(realm, "bo") }
            #expect(!section.isInvalidated && section.map(\.word) == ["bo"])
        }
        let configuration = fixture.configuration
        #expect(
            await exception {
                let realm = try Realm(configuration: configuration)
                let section = Self.sections(realm)[0]
                try realm.write { realm.deleteAll() }
                _ = section[0]
            } == "Access to invalidated ResultsSection objects")
        #expect(
            await exception { _ = Self.sections(try Realm(configuration: configuration))[0] }
                == "Index 0 is out of bounds (must be less than 0).")
    }

    @Test(
        """
        SectionedResults.{subscript(Int),subscript(IndexPath),makeIterator(),==,realm,isInvalidated,isFrozen} \
        IndexPath.{section,item} elements are found by paths, iteration keeps what it began with, uncommitted \
        changes are shown
        """)
    func reading() throws {
        try fixture.run { realm in
            try Self.fill(realm)
            let sections = Self.sections(realm)
            #expect(sections[IndexPath(item: 1, section: 0)].word == "alma")
            #expect(sections == sections && sections != Self.sections(realm))
            var seen: [String] = []
            try realm.write {
                for word in sections[0] {
                    seen.append(word.word)
                    word.word = "z" + word.word
                }
                #expect(seen == ["adam", "alma"])
                #expect(Self.text(sections) == "b[bert] c[cleo] z[zadam, zalma]")
                realm.cancelWrite()
            }
            #expect(Self.text(sections) == "a[adam, alma] b[bert] c[cleo]")
            #expect(sections.realm == realm && !sections.isInvalidated && !sections.isFrozen)
        }
    }

    @Test("sections by a property, with other orders within them, and by a block")
    func overloads() async throws {
        try fixture.run { realm in
            try Self.fill(realm)
            try realm.write {
                Self.word(realm, "adam")?.likes = 2
                Self.word(realm, "cleo")?.likes = 2
            }
            let words = realm.objects(SectionWord.self)
            let byLikes = words.sectioned(by: \.likes)
            #expect(byLikes.allKeys == [0, 2] && byLikes[1].map(\.word) == ["adam", "cleo"])
            #expect(words.sectioned(by: \.likes, ascending: false).allKeys == [2, 0])
            let sorted = words.sectioned(
                by: \.likes,
                sortDescriptors: [SortDescriptor(keyPath: "likes"), .init(keyPath: "word", ascending: false)])
            #expect(sorted.map { $0.map(\.word) } == [["bert", "alma"], ["cleo", "adam"]])
            #expect(words.sectioned(by: \.note).allKeys == [nil])
            #expect(words.sectioned(by: { $0.initial }, sortDescriptors: ["word"]).allKeys == ["a", "b", "c"])
            // An element joins the section of its key, wherever it is in the order.
            #expect(words.sectioned(by: { $0.word.count }, sortDescriptors: ["word"]).map { $0.count } == [4])
        }
        let configuration = fixture.configuration
        #expect(
            await exception {
                let words = try Realm(configuration: configuration).objects(SectionWord.self)
                _ = words.sectioned(by: \.likes, sortDescriptors: [])
            } == "Can not section Results with empty sortDescriptor parameter.")
        #expect(
            await exception {
                let words = try Realm(configuration: configuration).objects(SectionWord.self)
                _ = words.sectioned(by: \.likes, sortDescriptors: ["word"])
            } == "The section key path must match the primary sort descriptor.")
        #expect(
            await exception {
                let words = try Realm(configuration: configuration).objects(SectionWord.self)
                _ = words.sectioned(sortDescriptors: []) { $0.likes }
            } == "There must be at least one SortDescriptor when using SectionedResults.")
        #expect(
            await exception {
                let words = try Realm(configuration: configuration).objects(SectionWord.self)
                _ = words.sectioned(sortDescriptors: ["word"]) { $0.friend }
            } == "Links are not supported as section keys.")
        #expect(
            await exception {
                let words = try Realm(configuration: configuration).objects(SectionWord.self)
                _ = words.sectioned(by: { $0.word })
            } != nil)
    }

    @Test("values have sections by what they are, and are observed")
    func values() async throws {
        try fixture.run { [fixture] realm in
            try realm.write { realm.create(SectionShelf.self).numbers.append(objectsIn: [3, 12, 7, 15]) }
            let numbers = realm.objects(SectionShelf.self)[0].numbers
            let sections = numbers.sectioned(by: { $0 / 10 })
            #expect(sections.allKeys == [0, 1] && sections.map { Array($0) } == [[3, 7], [12, 15]])
            #expect(numbers.sectioned(by: { $0 / 10 }, ascending: false).map { Array($0) } == [[15, 12], [7, 3]])
            fixture.keep(sections.observe { fixture.note(Self.text($0)) })
        }
        _ = try await fixture.notes(1)
        try fixture.run { realm in try realm.write { realm.objects(SectionShelf.self)[0].numbers.append(5) } }
        _ = try await fixture.notes(2)
        try fixture.run { realm in try realm.write { realm.delete(realm.objects(SectionShelf.self)[0]) } }
        #expect(try await fixture.notes(3) == ["initial", "D I(0,1) M", "-0 -1 D I M"])
    }

    @Test("projections have sections by what they project")
    func projections() async throws {
        try fixture.run { realm in
            try Self.fill(realm)
            try realm.write { Self.word(realm, "cleo")?.likes = 2 }
            let words = realm.objects(SectionWordView.self)
            #expect(words.sectioned(by: \.hearts).map { $0.map(\.text) } == [["adam", "alma", "bert"], ["cleo"]])
            #expect(words.sectioned(by: \.hearts, ascending: false).allKeys == [2, 0])
            #expect(words.sectioned(by: \.hearts, sortDescriptors: ["likes", "word"]).allKeys == [0, 2])
            #expect(words.sectioned(by: { $0.text.count }, sortDescriptors: ["word"]).allKeys == [4])
        }
        let configuration = fixture.configuration
        #expect(
            await exception {
                let words = try Realm(configuration: configuration).objects(SectionWordView.self)
                _ = words.sectioned(by: \.hearts, sortDescriptors: ["word"])
            } == "The section key path must match the primary sort descriptor.")
    }

    @Test("SectionedResults.count lists of objects have sections, and a list's owner that goes takes them with it")
    func lists() async throws {
        try fixture.run { [fixture] realm in
            try Self.fill(realm)
            try realm.write {
                let shelf = realm.create(SectionShelf.self)
                for word in ["cleo", "adam"] { Self.word(realm, word).map { shelf.words.append($0) } }
            }
            let sections = realm.objects(SectionShelf.self)[0].words.sectioned(
                by: { $0.initial }, sortDescriptors: ["word"])
            #expect(Self.text(sections) == "a[adam] c[cleo]")
            fixture.keep(sections.observe { fixture.note(Self.text($0)) })
        }
        _ = try await fixture.notes(1)
        try fixture.run { realm in
            try realm.write { Self.word(realm, "bert").map { realm.objects(SectionShelf.self)[0].words.append($0) } }
        }
        _ = try await fixture.notes(2)
        try fixture.run { realm in try realm.write { realm.delete(realm.objects(SectionShelf.self)[0]) } }
        #expect(try await fixture.notes(3) == ["initial", "+1 D I(1,0) M", "-0 -1 -2 D I M"])
    }

    @Test("SectionedResults.observe a spared commit moves on what later changes are relative to")
    func withoutNotifying() async throws {
        try fixture.run { [fixture] realm in
            try Self.fill(realm)
            fixture.keep(Self.sections(realm).observe { fixture.note(Self.text($0)) })
        }
        _ = try await fixture.notes(1)
        try fixture.run { [fixture] realm in
            try realm.write(withoutNotifying: fixture.kept) {
                Self.add(realm, "abba")
                Self.add(realm, "dora")
            }
        }
        try fixture.run { realm in try realm.write { Self.word(realm, "dora")?.note = "x" } }
        #expect(try await fixture.notes(2) == ["initial", "D I M(3,0)"])
    }

    @Test(
        """
        SectionedResults.observe ResultsSection.observe RealmSectionedResult key paths narrow modifications, \
        queues and actors have sections of their own
        """)
    func elsewhere() async throws {
        let queue = DispatchQueue(label: "other")
        let actor = LiveActor()
        try fixture.run { [fixture] realm in
            try Self.fill(realm)
            let sections = Self.sections(realm)
            fixture.keep(sections.observe(keyPaths: [\.note], on: queue) { fixture.note("q " + Self.text($0)) })
            fixture.keep(sections[0].observe(keyPaths: ["note"]) { fixture.note("s " + Self.text($0)) })
        }
        _ = try await fixture.notes(2)
        let token = await Self.observe(fixture.configuration, on: actor)
        _ = try await actor.notes(1)
        try fixture.run { realm in try realm.write { Self.word(realm, "adam")?.likes = 1 } }
        _ = try await actor.notes(2)
        try fixture.run { realm in try realm.write { Self.word(realm, "adam")?.note = "x" } }
        #expect(try await actor.notes(3) == ["initial", "D I M(0,0)", "D I M(0,0)"])
        #expect(try await fixture.notes(4).sorted() == ["q D I M(0,0)", "q initial", "s D I M(0,0)", "s initial"])
        token.invalidate()
    }

    @MainActor
    private static func observe(_ configuration: Realm.Configuration, on actor: LiveActor) async -> NotificationToken {
        guard let realm = try? await Realm(configuration: configuration) else { fatalError("no realm") }
        return await sections(realm).observe(on: actor) { actor, change in actor.note(text(change)) }
    }

    @Test(
        """
        SectionedResults.{allKeys,count,freeze(),thaw()} ResultsSection.{isFrozen,freeze(),thaw()} \
        ThreadSafeReference(SectionedResults) ThreadSafeReference(ResultsSection) frozen sections keep their keys, \
        and sections go to other threads
        """)
    func frozen() throws {
        let reference = try fixture.run { realm in
            try Self.fill(realm)
            var asked = 0
            let sections = realm.objects(SectionWord.self).sectioned(sortDescriptors: ["word"]) { word in
                asked += 1
                return word.initial
            }
            #expect(asked == 0 && sections.count == 3 && asked == 4 && sections.allKeys.count == 3 && asked == 4)
            let frozen = sections.freeze()
            try realm.write { Self.delete(realm, "bert") }
            #expect(frozen.isFrozen && frozen[1].isFrozen && frozen[1].map(\.word) == ["bert"] && asked == 4)
            #expect(frozen.freeze() == frozen && frozen.thaw()?.allKeys == ["a", "c"] && asked == 7)
            #expect(frozen[0].thaw()?.count == 2 && sections.thaw() == sections)
            #expect(sections[1].freeze().key == "c")
            return (ThreadSafeReference(to: sections), ThreadSafeReference(to: Self.sections(realm)[1]))
        }
        try QueueFixture(beside: fixture).run { realm in
            #expect(realm.resolve(reference.0)?.allKeys == ["a", "c"])
            #expect(realm.resolve(reference.1)?.map(\.word) == ["cleo"])
        }
    }

    private static func told<S: RealmSectionedResult>(_ sections: S) -> String {
        "\(sections.count) \(sections.isFrozen) \(sections.isInvalidated) \(sections.realm != nil)"
    }

    @Test(
        """
        RealmSectionedResult SectionedResults.{realm,isInvalidated,count,isFrozen,freeze(),thaw(),allKeys} \
        ResultsSection.{realm,isInvalidated,count,isFrozen,freeze(),thaw(),id} what both are asked
        """)
    func members() throws {
        try fixture.run { realm in
            try Self.fill(realm)
            let sections = Self.sections(realm)
            let section = sections[0]
            #expect(Self.told(sections) == "3 false false true" && Self.told(section) == "2 false false true")
            #expect(sections.realm == realm && section.realm == realm && section.id == "a")
            let (frozen, frozenSection) = (sections.freeze(), section.freeze())
            #expect(Self.told(frozen) == "3 true false true" && Self.told(frozenSection) == "2 true false true")
            try realm.write { Self.delete(realm, "alma") }
            try realm.write { Self.delete(realm, "cleo") }
            #expect(Self.told(sections) == "2 false false true" && Self.told(section) == "1 false false true")
            #expect(Self.told(frozen) == "3 true false true" && Self.told(frozenSection) == "2 true false true")
            #expect(frozen.thaw()?.count == 2 && frozenSection.thaw()?.count == 1 && frozen.allKeys == ["a", "b", "c"])
            #expect(frozen.first?.first?.word == "adam" && sections.map { $0.key } == ["a", "b"])
            realm.invalidate()
            #expect(sections.isInvalidated && !frozen.isInvalidated)
        }
    }

    @Test("RLMSectionedResults reads, freezes and thaws")
    func objectiveC() async throws {
        try fixture.run { realm in
            try Self.fill(realm)
            let sections = RLMSectionedResults(Self.sections(realm))
            #expect(sections.allKeys == ["a", "b", "c"] && sections.count == 3 && !sections.isFrozen)
            #expect(sections[0].key == "a" && sections[0].count == 2 && sections.object(at: 1)[0].word == "bert")
            let (frozen, bert) = (sections.freeze(), sections[1])
            try realm.write { realm.delete(bert.object(at: 0)) }
            #expect(frozen.isFrozen && frozen.count == 3 && frozen.freeze() === frozen && sections.count == 2)
            #expect(frozen.thaw().count == 2 && sections.thaw() === sections && frozen[1].isFrozen)
            #expect(sections[1].freeze().count == 1 && frozen[2].thaw().object(at: 0).word == "cleo")
        }
        let configuration = fixture.configuration
        #expect(
            await exception {
                _ = RLMSectionedResults(Self.sections(try Realm(configuration: configuration)))[7]
            } == "Index 7 is out of bounds (must be less than 2).")
    }

    @Test("RLMSectionedResults is observed, here, on a queue, and with key paths")
    func objectiveCObserved() async throws {
        let queue = DispatchQueue(label: "other")
        @Sendable func note(_ name: String, _ count: UInt, _ change: RLMSectionedResultsChange?) {
            guard let change else { return fixture.note("\(name) initial \(count)") }
            let parts = [change.deletions, change.insertions, change.modifications].map(Self.paths)
            fixture.note(
                "\(name) \(count) \(Array(change.sectionsToInsert)) \(Array(change.sectionsToRemove)) \(parts)")
        }
        try fixture.run { [fixture] realm in
            try Self.fill(realm)
            let sections = RLMSectionedResults(Self.sections(realm))
            fixture.keep(sections.addNotificationBlock { note("here", $0.count, $1) })
            fixture.keep(sections.addNotificationBlock({ note("queue", $0.count, $1) }, queue: queue))
            fixture.keep(sections.addNotificationBlock({ note("paths", $0.count, $1) }, keyPaths: ["note"]))
            fixture.keep(sections.addNotificationBlock({ note("both", $0.count, $1) }, keyPaths: nil, queue: nil))
            fixture.keep(sections[1].addNotificationBlock { note("section", $0.count, $1) })
        }
        _ = try await fixture.notes(5)
        try fixture.run { realm in try realm.write { Self.word(realm, "bert")?.likes = 3 } }
        _ = try await fixture.notes(9)
        try fixture.run { realm in try realm.write { Self.add(realm, "dora") } }
        let notes = try await fixture.notes(13)
        let (modified, added) = (#"3 [] [] ["", "", "(1,0)"]"#, #"4 [3] [] ["", "(3,0)", ""]"#)
        #expect(notes.filter { $0.hasPrefix("here") } == ["here initial 3", "here " + modified, "here " + added])
        #expect(notes.filter { $0.hasPrefix("queue") } == ["queue initial 3", "queue " + modified, "queue " + added])
        #expect(notes.filter { $0.hasPrefix("paths") } == ["paths initial 3", "paths " + added])
        #expect(notes.filter { $0.hasPrefix("both") } == ["both initial 3", "both " + modified, "both " + added])
        #expect(
            notes.filter { $0.hasPrefix("section") } == ["section initial 1", #"section 1 [] [] ["", "", "(1,0)"]"#])
    }
}
