package import ObjectCoding
package import ObjectModel

extension ObjectImporter {
    /// The results for the lines of a file. Each line counts once, as created, modified, unchanged or rejected; lines
    /// of an import that ended early may count as none of them.
    package struct Outcome: Sendable {
        package var created = 0
        package var modified = 0
        /// Objects that already had the values of their lines.
        package var unchanged = 0
        /// All invalid lines.
        package var refused = 0
        /// Lines whose objects were imported without a link whose target does not exist; they also count among the
        /// first three.
        package var incomplete = 0
        /// Non-empty lines that were read, without the header of a CSV file.
        package var lines = 0
        /// The first of the rejected or incomplete lines, in order.
        package var faults: [LineError] = []
        /// The number of bytes read so far.
        package var bytes = 0
        /// The version of the last commit; nil before the first.
        package var version: Version?
        /// Values with links to objects of the same class that may come later in the file.
        var forwardLinks: [ForwardLink] = []
        /// The number of these that were unresolved at the last attempt.
        var stillWaiting = 0
        /// The incomplete lines, at most as many as links may wait.
        private var incompleteLines: Set<Int> = []

        package init() {}
    }

    /// Nothing was imported, because some lines are invalid.
    package struct Refusal: Error {
        package let outcome: Outcome
    }

    /// Nothing was imported, because the file is too large for one transaction.
    package struct TooLarge: Error {
        /// The limit in bytes.
        package let limit: Int

        package init(limit: Int) { self.limit = limit }
    }

    /// The file has more invalid lines than allowed.
    package struct TooManyFaults: Error {
        package let limit: Int
    }

    /// The import ended early.
    package struct Failure: Error {
        /// The results until then.
        package let outcome: Outcome
        /// The first line that was not imported because of the failure, or was being read; nil if no line was read yet.
        package let line: Int?
        package let cause: any Error

        /// The import ended before anything was read.
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
    /// Adds a rejected line.
    mutating func add(_ fault: LineError) {
        refused += 1
        record(fault)
    }

    /// Adds a line whose object was imported without a link.
    mutating func add(incomplete fault: LineError) {
        record(fault)
        if incompleteLines.insert(fault.line).inserted { incomplete += 1 }
    }

    private mutating func record(_ fault: LineError) {
        if faults.count < ObjectImporter.maximumFaults { faults.append(fault) }
    }

    /// Adds the results of another transaction.
    mutating func add(_ done: Self) {
        created += done.created
        modified += done.modified
        unchanged += done.unchanged
        refused += done.refused
        faults += done.faults.prefix(max(ObjectImporter.maximumFaults - faults.count, 0))
        for line in done.incompleteLines where incompleteLines.insert(line).inserted { incomplete += 1 }
        forwardLinks += done.forwardLinks
        version = done.version ?? version
    }

    /// Removes the waiting links from a sum. They are passed to `connect`, which returns those that are still
    /// unresolved.
    mutating func takeForwardLinks() -> [ObjectImporter.ForwardLink] {
        defer { forwardLinks = [] }
        return forwardLinks
    }

    mutating func noteConnected() { stillWaiting = forwardLinks.count }

    mutating func finish() {
        forwardLinks = []
        faults.sort { $0.line < $1.line }
    }

    /// Resets the results of a transaction that was rolled back: only the read and the rejected lines remain.
    mutating func revert() {
        (created, modified, unchanged, incomplete) = (0, 0, 0, 0)
        version = nil
        finish()
    }
}

extension ImportedPart {
    package init(_ outcome: ObjectImporter.Outcome, line: Int?) {
        self.init()
        version = outcome.version
        created = outcome.created
        modified = outcome.modified
        unchanged = outcome.unchanged
        refused = outcome.refused
        incomplete = outcome.incomplete
        lines = outcome.lines
        self.line = line
    }
}
