/// The position of an element in a sectioned result.
package struct SectionPath: Hashable, Comparable, Sendable {
    package var section: Int
    package var row: Int

    package init(_ section: Int, _ row: Int) {
        self.section = section
        self.row = row
    }

    package static func < (a: SectionPath, b: SectionPath) -> Bool {
        a.section != b.section ? a.section < b.section : a.row < b.row
    }
}

/// The difference between two sectioned results. All arrays ascend.
package struct SectionChanges: Hashable, Sendable {
    /// Indices in the new list of sections.
    package var sectionsToInsert: [Int]
    /// Indices in the old list of sections.
    package var sectionsToDelete: [Int]
    /// Paths in the new sections, including every row of an inserted section.
    package var insertions: [SectionPath]
    /// Paths in the old sections; the rows of deleted sections are left out.
    package var deletions: [SectionPath]
    /// The section's old index, and the row, which is the same before and after.
    package var modifications: [SectionPath]
    /// The new paths of the same rows, in the same order.
    package var modificationsNew: [SectionPath]

    package init(
        sectionsToInsert: [Int] = [], sectionsToDelete: [Int] = [], insertions: [SectionPath] = [],
        deletions: [SectionPath] = [], modifications: [SectionPath] = [], modificationsNew: [SectionPath] = []
    ) {
        self.sectionsToInsert = sectionsToInsert
        self.sectionsToDelete = sectionsToDelete
        self.insertions = insertions
        self.deletions = deletions
        self.modifications = modifications
        self.modificationsNew = modificationsNew
    }

    package var isEmpty: Bool {
        sectionsToInsert.isEmpty && sectionsToDelete.isEmpty && insertions.isEmpty && deletions.isEmpty
            && modifications.isEmpty
    }
}

extension SectionChanges {
    /// Merges these changes with the later ones. A section that was deleted and inserted again stays both.
    ///
    /// - Parameter rowCount: returns the number of rows of a section of the last list.
    package func followed(by later: SectionChanges, rowCount: (Int) -> Int) -> SectionChanges {
        let first = IndexChanges(deletions: sectionsToDelete, insertions: sectionsToInsert)
        let second = IndexChanges(deletions: later.sectionsToDelete, insertions: later.sectionsToInsert)
        var sections = first
        sections.merge(second)
        var both = SectionChanges(sectionsToInsert: sections.insertions, sectionsToDelete: sections.deletions)

        // Rows by the middle index of the sections that stay through both.
        var earlier = rows {
            first.newIndex(ofOld: $0)
        } ofNew: {
            first.oldIndex(ofNew: $0) != nil ? $0 : nil
        }
        let next = later.rows {
            $0
        } ofNew: {
            second.oldIndex(ofNew: $0)
        }
        for (middle, changes) in next { earlier[middle, default: IndexChanges()].merge(changes) }
        for (middle, changes) in earlier {
            guard let old = first.oldIndex(ofNew: middle), let new = second.newIndex(ofOld: middle) else { continue }
            both.deletions += changes.deletions.map { SectionPath(old, $0) }
            both.insertions += changes.insertions.map { SectionPath(new, $0) }
            for (row, newRow) in zip(changes.modifications, changes.modificationsNew) {
                if row == newRow {
                    both.modifications.append(SectionPath(old, row))
                } else {
                    both.deletions.append(SectionPath(old, row))
                    both.insertions.append(SectionPath(new, newRow))
                }
            }
        }
        for section in sections.insertions {
            both.insertions += (0..<rowCount(section)).map { SectionPath(section, $0) }
        }
        both.deletions.sort()
        both.insertions.sort()
        both.modifications.sort()
        both.modificationsNew = both.modifications.map { path in
            SectionPath(sections.newIndex(ofOld: path.section) ?? path.section, path.row)
        }
        return both
    }

    /// The changes of the rows of each section that stays, by one of its indices.
    private func rows(ofOld old: (Int) -> Int?, ofNew new: (Int) -> Int?) -> [Int: IndexChanges] {
        var rows: [Int: IndexChanges] = [:]
        for path in deletions {
            if let section = old(path.section) { rows[section, default: IndexChanges()].deletions.append(path.row) }
        }
        for path in insertions {
            if let section = new(path.section) { rows[section, default: IndexChanges()].insertions.append(path.row) }
        }
        for path in modifications {
            guard let section = old(path.section) else { continue }
            rows[section, default: IndexChanges()].modifications.append(path.row)
            rows[section, default: IndexChanges()].modificationsNew.append(path.row)
        }
        return rows
    }
}
