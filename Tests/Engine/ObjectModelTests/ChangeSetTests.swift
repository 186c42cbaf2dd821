import ObjectModel
import StoreTesting
import Testing
import TestBasics

struct ChangeSetTests {
    private static let a = ClassID(1)
    private static let p = PropertyID(1)
    private static let q = PropertyID(2)

    /// A class's objects, for replaying changes.
    private typealias Objects = [ObjectKey: PropertySet]

    @Test("an object created and deleted leaves no trace, and one created and changed is only created")
    func cancelling() {
        var changes = ClassChanges()
        changes.recordInsertion(ObjectKey(1))
        changes.recordModification(ObjectKey(1), Self.p)
        #expect(changes == ClassChanges(insertions: [ObjectKey(1)]))
        changes.recordDeletion(ObjectKey(1))
        #expect(changes.isEmpty)
        changes.recordModification(ObjectKey(2), Self.p)
        changes.recordDeletion(ObjectKey(2))
        #expect(changes == ClassChanges(deletions: [ObjectKey(2)]))
    }

    @Test("an edit is a modification of its property; it disappears with the object, and when undone")
    func edits() {
        let key = ObjectKey(1)
        var inserted = ListEdit()
        inserted.recordInsertion(at: 0)
        var removed = ListEdit()
        removed.recordDeletion(at: 0)
        var changes = ClassChanges()
        changes.recordEdit(key, Self.p, .list(inserted))
        let modified = ClassChanges(modifications: [key: PropertySet([Self.p])])
        var expected = modified
        expected.edits = [key: [Self.p: .list(inserted)]]
        #expect(changes == expected)
        changes.recordEdit(key, Self.p, .list(removed))
        #expect(changes == modified)
        changes.recordEdit(key, Self.q, .set(SetEdit()))
        #expect(changes == ClassChanges(modifications: [key: PropertySet([Self.p, Self.q])]))
        changes.recordEdit(key, Self.q, .set(SetEdit(insertions: [.int(1)])))
        changes.recordDeletion(key)
        #expect(changes == ClassChanges(deletions: [key]))

        var made = ClassChanges(insertions: [key])
        made.recordEdit(key, Self.p, .list(inserted))
        #expect(made == ClassChanges(insertions: [key]))
        made.merge(expected)
        #expect(made == ClassChanges(insertions: [key]))
    }

    @Test("merging changes merges their edits, position by position")
    func mergedEdits() {
        let key = ObjectKey(1)
        var first = ClassChanges()
        var second = ClassChanges()
        var whole = ClassChanges()
        for (part, edit) in [ListEdit(replacing: 2, with: 3), ListEdit(replacing: 1, with: 0)].enumerated() {
            whole.recordEdit(key, Self.p, .list(edit))
            if part == 0 {
                first.recordEdit(key, Self.p, .list(edit))
            } else {
                second.recordEdit(key, Self.p, .list(edit))
            }
        }
        first.merge(second)
        #expect(first == whole)
        #expect(first.edits == [key: [Self.p: .list(ListEdit(replacing: 2, with: 2))]])
        var undone = second
        var putBack = ClassChanges()
        putBack.recordEdit(key, Self.p, .list(ListEdit(replacing: 0, with: 1)))
        undone.merge(putBack)
        #expect(undone.edits == [key: [Self.p: .list(ListEdit(replacing: 1, with: 1))]])
        putBack.merge(second)
        #expect(putBack == ClassChanges(modifications: [key: PropertySet([Self.p])]))
    }

    @Test("merging keeps the later version and the flag of a replaced schema")
    func versions() {
        var first = ChangeSet(version: Version(2), schemaChanged: true)
        first.merge(ChangeSet(version: Version(3)))
        #expect(first == ChangeSet(version: Version(3), schemaChanged: true))
        var second = ChangeSet(version: Version(4))
        second.merge(first)
        #expect(second.schemaChanged)
    }

    @Test("classes whose changes cancel out are left out")
    func emptyClasses() {
        var first = ChangeSet(version: Version(2), classes: [Self.a: ClassChanges(insertions: [ObjectKey(1)])])
        first.merge(ChangeSet(version: Version(3), classes: [Self.a: ClassChanges(deletions: [ObjectKey(1)])]))
        #expect(first.classes.isEmpty)
    }

    /// A history of random operations is cut into commits; each commit's changes, and the merge of any run of
    /// commits, must describe the difference between the states at its ends.
    @Test("merged changes describe the difference between the states at their ends, however they are grouped")
    func mergeLaw() throws {
        let seed = TestSeed.of()
        var random = SeededRandom(seed: seed)
        for _ in 0..<300 {
            var state: Set<ObjectKey> = []
            var next: Int64 = 0
            var states = [state]
            var sets: [ChangeSet] = []
            var touched: [[ObjectKey: PropertySet]] = []
            for commit in 0..<5 {
                var changes = ClassChanges()
                var assigned: [ObjectKey: PropertySet] = [:]
                for _ in 0..<random.next() % 6 {
                    switch random.next() % 3 {
                    case 0:
                        changes.recordInsertion(ObjectKey(next))
                        state.insert(ObjectKey(next))
                        next += 1
                    case 1:
                        guard let key = state.sorted().randomElement(using: &random) else { continue }
                        let property = random.next() % 2 == 0 ? Self.p : Self.q
                        changes.recordModification(key, property)
                        assigned[key, default: PropertySet()].insert(property)
                    default:
                        guard let key = state.sorted().randomElement(using: &random) else { continue }
                        changes.recordDeletion(key)
                        state.remove(key)
                    }
                }
                sets.append(
                    ChangeSet(version: Version(UInt64(commit) + 2), classes: changes.isEmpty ? [:] : [Self.a: changes]))
                states.append(state)
                touched.append(assigned)
            }
            for start in 0..<5 {
                var merged = sets[start]
                for end in start..<5 {
                    if end > start { merged.merge(sets[end]) }
                    let before = states[start]
                    let after = states[end + 1]
                    var modifications: [ObjectKey: PropertySet] = [:]
                    for assigned in touched[start...end] {
                        for (key, properties) in assigned where before.contains(key) && after.contains(key) {
                            modifications[key, default: PropertySet()].formUnion(properties)
                        }
                    }
                    let expected = ClassChanges(
                        insertions: after.subtracting(before), deletions: before.subtracting(after),
                        modifications: modifications)
                    #expect(merged.classes[Self.a] ?? ClassChanges() == expected, "seed \(seed)")
                    #expect(merged.version == sets[end].version)
                }
            }
            // Grouping does not matter.
            var left = sets[0]
            left.merge(sets[1])
            left.merge(sets[2])
            var tail = sets[1]
            tail.merge(sets[2])
            var right = sets[0]
            right.merge(tail)
            #expect(left == right, "seed \(seed)")
        }
    }
}
