import Columnar
import ObjectModel
import QueryLanguage
import StoreContract
import Synchronization
import QueryOperators

/// Describes the plan of a query, and the measurements of each of its parts.
struct Explainer {
    let source: any ColumnSource

    /// The plan's prerequisites, such as the objects that a link may lead to, are computed even when the query is not
    /// executed.
    func explain(_ query: BoundQuery, _ window: Window, running: Bool) throws -> QueryExplanation {
        let names = ExplainNames(schema: source.schema, classID: query.classID)
        let measures = StepMeasures()
        let planner = Planner(source: source)
        let clock = ContinuousClock()
        let start = clock.now
        var root = QueryExplanation.Part("")
        let selected: SelectedObjects
        switch query.scope {
        case .all:
            let scan = try planner.measuredScan(query.classID, query.predicate)
            selected = .scan(scan)
            root.words = "select \(names[query.classID]), \(source.objectCount(of: query.classID)) objects"
        case .property(let holder, let property):
            let keys = try ScopedObjects.keys(of: holder, property, in: source)
            let found = try ScopedObjects.filter(keys, query.predicate, on: query.classID, with: planner)
            let spent = (clock.now - start).wholeNanoseconds
            selected = .keys(found)
            let holderClass = ExplainNames(schema: source.schema, classID: holder.classID)
            root.words =
                "select from \(holderClass[holder.classID]).\(holderClass[property]) of one object, \(keys.count) links"
            if query.predicate != .constant(true) {
                root.parts.append(
                    QueryExplanation.Part(
                        "test those objects", rowsIn: running ? keys.count : nil, rowsOut: running ? found.count : nil,
                        nanoseconds: running ? spent : nil))
            }
        }
        let pipeline = ResultPipeline(
            selected, of: query.classID, in: source, query.steps, window, measure: running ? measures : nil)
        var count: Int?
        var spent: Int?
        if running {
            count = try pipeline.run().count
            spent = (clock.now - start).wholeNanoseconds
        }
        if case .scan(let scan) = selected { root.parts.append(part(scan.root, names, running: running)) }
        for (index, step) in pipeline.plannedSteps.enumerated() {
            var part = QueryExplanation.Part(words(step, names))
            if index < measures.parts.count {
                let measure = measures.parts[index]
                part.rowsIn = measure.rowsIn
                part.rowsOut = measure.rowsOut
                part.nanoseconds = measure.nanoseconds
            }
            root.parts.append(part)
        }
        if let words = words(window) {
            root.parts.append(QueryExplanation.Part(words, rowsOut: count))
        }
        root.rowsOut = count
        root.nanoseconds = spent
        return QueryExplanation(root, count: count, nanoseconds: spent)
    }

    private func part(_ part: any Operator, _ names: ExplainNames, running: Bool) -> QueryExplanation.Part {
        var result = QueryExplanation.Part(part.words(names))
        if running, let measured = part as? MeasuredOperator {
            let totals = measured.totals
            result.rowsIn = totals.rowsIn.load(ordering: .relaxed)
            result.rowsOut = totals.rowsOut.load(ordering: .relaxed)
            result.clustersRead = totals.clustersRead.load(ordering: .relaxed)
            result.clustersSkipped = totals.clustersSkipped.load(ordering: .relaxed)
            result.nanoseconds = totals.nanoseconds.load(ordering: .relaxed)
        }
        var below = names
        if let classID = part.innerClass { below.classID = classID }
        result.parts = part.parts.map { self.part($0, below, running: running) }
        return result
    }

    private func words(_ step: ResultStep, _ names: ExplainNames) -> String {
        switch step {
        case .sort(let keys):
            let list = keys.map { "\(names.words($0.path)) \($0.isAscending ? "ascending" : "descending")" }
            return "sort by \(list.joined(separator: ", "))"
        case .distinct(let paths): return "distinct by \(paths.map { names.words($0) }.joined(separator: ", "))"
        case .limit(let most): return "limit to the first \(most)"
        }
    }

    private func words(_ window: Window) -> String? {
        var words: [String] = []
        if window.after != nil { words.append("after a cursor") }
        if window.offset > 0 { words.append("without the first \(window.offset)") }
        if let limit = window.limit { words.append("at most \(limit)") }
        return words.isEmpty ? nil : "window: " + words.joined(separator: ", ")
    }
}
