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
