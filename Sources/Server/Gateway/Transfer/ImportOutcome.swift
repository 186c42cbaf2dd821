package import ObjectModel

extension ObjectImporter {
    /// What has become of the lines of a file. Each that was read counts once: as created, modified, unchanged or
    /// refused, or, in an import that ended early, as none of them.
    package struct Outcome: Sendable {
        package var created = 0
        package var modified = 0
        /// Objects that were as their lines say already.
        package var unchanged = 0
        /// All lines that did not fit.
        package var refused = 0
        /// Lines whose objects are in without a link that leads nowhere; they count among the first three as well.
        package var incomplete = 0
        /// Lines with something on them that were read. The first line of a CSV file, with the names, is none.
        package var lines = 0
        /// The first of the lines that were refused or are incomplete, in order.
        package var faults: [LineFault] = []
        /// Bytes read so far.
        package var bytes = 0
        /// Of the last commit; nil before the first.
        package var version: Version?
        /// Values with links within the class to objects that the file may name further down.
        var forwardLinks: [ForwardLink] = []
        /// How many of these were left when their objects were looked for last.
        var stillWaiting = 0
        /// The lines of `incomplete`: no more than links may wait.
        private var incompleteLines: Set<Int> = []

        package init() {}
    }

    /// Nothing of a file was imported, because not all of it could be.
    package struct Refusal: Error {
        package let outcome: Outcome
    }

    /// Nothing of a file was imported, because it is too large for one transaction.
    package struct TooLarge: Error {
        /// In bytes.
        package let limit: Int
    }

    /// More lines do not fit than may.
    package struct TooManyFaults: Error {
        package let limit: Int
    }

    /// An import that ended early.
    package struct Failure: Error {
        /// What is in all the same.
        package let outcome: Outcome
        /// The first line that is not in because of the failure, or was being read; nil when no line was read yet.
        package let line: Int?
        package let cause: any Error

        /// Before anything was read.
        package init(_ cause: any Error) {
            (outcome, line) = (Outcome(), nil)
            self.cause = cause
        }

        init(_ cause: any Error, _ outcome: Outcome, line: Int?) {
            (self.outcome, self.line, self.cause) = (outcome, line, cause)
        }
    }
}

extension ObjectImporter.Outcome {
    /// A line that was refused.
    mutating func add(_ fault: LineFault) {
        refused += 1
        tell(fault)
    }

    /// A line whose object is in without a link.
    mutating func add(incomplete fault: LineFault) {
        tell(fault)
        if incompleteLines.insert(fault.line).inserted { incomplete += 1 }
    }

    private mutating func tell(_ fault: LineFault) {
        if faults.count < ObjectImporter.mostFaults { faults.append(fault) }
    }

    /// Adds what one more transaction did.
    mutating func add(_ done: Self) {
        created += done.created
        modified += done.modified
        unchanged += done.unchanged
        refused += done.refused
        faults += done.faults.prefix(max(ObjectImporter.mostFaults - faults.count, 0))
        for line in done.incompleteLines where incompleteLines.insert(line).inserted { incomplete += 1 }
        forwardLinks += done.forwardLinks
        version = done.version ?? version
    }

    /// Of a sum: they are given to `connect`, which gives those back that go on waiting.
    mutating func takeForwardLinks() -> [ObjectImporter.ForwardLink] {
        defer { forwardLinks = [] }
        return forwardLinks
    }

    mutating func noteConnected() { stillWaiting = forwardLinks.count }

    mutating func finish() {
        forwardLinks = []
        faults.sort { $0.line < $1.line }
    }

    /// Of a transaction that was taken back: only what was read and refused stays.
    mutating func takeBack() {
        (created, modified, unchanged, incomplete) = (0, 0, 0, 0)
        version = nil
        finish()
    }
}

/// What of a file is in although its import ended early, and the first line that is not in because of that.
package struct ImportedPart: Hashable, Sendable {
    package let outcome: ObjectImporter.Outcome
    package let line: Int?

    package static func == (a: Self, b: Self) -> Bool { a.line == b.line && a.numbers == b.numbers }

    package func hash(into hasher: inout Hasher) { hasher.combine(numbers) }

    private var numbers: [Int] {
        [
            outcome.created, outcome.modified, outcome.unchanged, outcome.refused, outcome.incomplete, outcome.lines,
        ]
    }
}
