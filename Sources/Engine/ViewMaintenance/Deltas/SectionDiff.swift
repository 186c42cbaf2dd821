import Basics
import ObjectModel
import StoreContract

/// Derives the difference of two lists of sections from the difference of their results.
///
/// A section that exists on one side only is inserted or deleted. An inserted element is an insertion at its new path,
/// also in an inserted section; a deleted one is a deletion at its old path, unless its section is deleted. A modified
/// element counts as modified when, in the section with the same key, the same row is modified before and after;
/// otherwise it is a deletion at its old path and an insertion at its new one.
package struct SectionDiff {
    package let old: SectionList
    package let new: SectionList
    package let oldPaths: SectionPathFinder
    package let newPaths: SectionPathFinder

    /// The surviving sections by old index.
    private let survivors: Survivors

    package init(
        _ old: SectionList, _ oldPaths: SectionPathFinder, _ new: SectionList, _ newPaths: SectionPathFinder
    ) {
        self.old = old
        self.new = new
        self.oldPaths = oldPaths
        self.newPaths = newPaths
        survivors = Survivors(old, new)
    }

    /// - Parameters:
    ///   - indices: the difference of the results, with the modifications that count.
    ///   - silent: old positions of further elements that stayed in the result and whose section differs from the last
    ///     reported one.
    package func changes(_ indices: IndexChanges, silent: some Sequence<Int>) throws -> SectionChanges {
        var deleted = try indices.deletions.map { try path(oldPaths, $0) }
        var inserted = try indices.insertions.map { try path(newPaths, $0) }
        var marks = Marks()
        for (position, newPosition) in zip(indices.modifications, indices.modificationsNew) {
            marks.add(try path(oldPaths, position), try path(newPaths, newPosition), survivors)
        }
        let modified = Set(indices.modifications)
        for position in silent where !modified.contains(position) {
            guard let newPosition = indices.newIndex(ofOld: position) else { continue }
            let (before, after) = (try path(oldPaths, position), try path(newPaths, newPosition))
            guard old.form(of: before.section) != new.form(of: after.section) else { continue }
            deleted.append(before)
            inserted.append(after)
        }
        var changes = SectionChanges()
        marks.match(deleted: &deleted, inserted: &inserted, survivors, into: &changes)
        changes.sectionsToDelete = survivors.deleted
        changes.sectionsToInsert = survivors.inserted
        changes.deletions = deleted.filter { survivors.newIndex(of: $0.section) != nil }.sorted()
        // All rows of a section that moved are inserted with it.
        for section in survivors.movedNew {
            inserted.removeAll { $0.section == section }
            inserted += new.sections[section].rows.indices.map { SectionPath(section, $0) }
        }
        changes.insertions = inserted.sorted()
        return changes
    }

    private func path(_ finder: SectionPathFinder, _ position: Int) throws -> SectionPath {
        if let path = try finder.path(at: position) { return path }
        // Only if the data read from the store is inconsistent.
        throw StoreError(.invalidFile, "The observed sections do not fit the result: check the store's file.")
    }
}

/// The sections that are on both sides, in the same order.
private struct Survivors {
    private(set) var deleted: [Int] = []
    private(set) var inserted: [Int] = []
    /// New indices of sections that are on both sides and moved, so that they are deleted and inserted.
    private(set) var movedNew: [Int] = []
    /// Nil where all sections stayed.
    private var newIndices: [Int?]?

    init(_ old: SectionList, _ new: SectionList) {
        guard !old.hasSections(of: new) else { return }
        var common: [(old: Int, new: Int)] = []
        for index in new.sections.indices {
            if let before = old.index(of: new.form(of: index)) {
                common.append((before, index))
            } else {
                inserted.append(index)
            }
        }
        // Positions in the old order count the common sections.
        let ranks = Dictionary(
            uniqueKeysWithValues: common.map(\.old).sorted().enumerated().map { ($1, $0) })
        let staying = LongestIncreasingSubsequence.staying(
            common.map { OrderedBlock(oldPosition: ranks[$0.old] ?? 0, length: 1, modified: 0) })
        var newIndices = [Int?](repeating: nil, count: old.sections.count)
        for index in staying { newIndices[common[index].old] = common[index].new }
        for pair in common where newIndices[pair.old] == nil { movedNew.append(pair.new) }
        deleted = newIndices.indices.filter { newIndices[$0] == nil }
        inserted = (inserted + movedNew).sorted()
        self.newIndices = newIndices
    }

    func newIndex(of old: Int) -> Int? {
        guard let newIndices else { return old }
        return newIndices[old]
    }
}

/// The rows of modified elements, before and after, by the old index of their section.
private struct Marks {
    private var before: [Int: [Int]] = [:]
    private var after: [Int: [Int]] = [:]
    /// New paths in sections that did not stay.
    private var elsewhere: [SectionPath] = []
    private var oldIndices: [Int: Int] = [:]
    private var pending: [SectionPath] = []

    mutating func add(_ old: SectionPath, _ new: SectionPath, _ survivors: Survivors) {
        if let index = survivors.newIndex(of: old.section) {
            before[old.section, default: []].append(old.row)
            oldIndices[index] = old.section
        }
        pending.append(new)
    }

    /// Turns rows that are marked on both sides of their section into modifications, and the others into deletions and
    /// insertions. A row is the same on both sides only if as many rows before it were deleted as inserted: otherwise
    /// an observer that applies the changes one by one would find another element there.
    mutating func match(
        deleted: inout [SectionPath], inserted: inout [SectionPath], _ survivors: Survivors,
        into changes: inout SectionChanges
    ) {
        for path in pending {
            if let old = oldIndices[path.section] {
                after[old, default: []].append(path.row)
            } else {
                inserted.append(path)
            }
        }
        var deletedRows: [Int: [Int]] = [:]
        for path in deleted where before[path.section] != nil {
            deletedRows[path.section, default: []].append(path.row)
        }
        var insertedRows: [Int: [Int]] = [:]
        for path in inserted {
            if let old = oldIndices[path.section] { insertedRows[old, default: []].append(path.row) }
        }
        for section in before.keys.sorted() {
            guard let newSection = survivors.newIndex(of: section) else { continue }
            let (old, new) = (Set(before[section] ?? []), Set(after[section] ?? []))
            let leaving = (deletedRows[section] ?? []).sorted()
            let coming = (insertedRows[section] ?? []).sorted()
            var unmatchedOld = 0
            var unmatchedNew = 0
            for row in old.union(new).sorted() {
                let left = leaving.partitioningIndex { $0 >= row } + unmatchedOld
                let came = coming.partitioningIndex { $0 >= row } + unmatchedNew
                if old.contains(row), new.contains(row), left == came {
                    changes.modifications.append(SectionPath(section, row))
                    changes.modificationsNew.append(SectionPath(newSection, row))
                    continue
                }
                if old.contains(row) {
                    deleted.append(SectionPath(section, row))
                    unmatchedOld += 1
                }
                if new.contains(row) {
                    inserted.append(SectionPath(newSection, row))
                    unmatchedNew += 1
                }
            }
        }
    }
}
