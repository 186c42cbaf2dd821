package import ObjectModel
package import QueryLanguage
package import StoreContract
import Synchronization

/// One version of a model store, answered by the reference evaluator.
package final class ModelSnapshot: Snapshot {
    private let state: ModelState
    let evaluator: ReferenceEvaluator<ModelState>
    private let incomingLinks = IncomingLinkTable()

    private let evaluations: EvaluationCount?

    init(_ state: ModelState, counting evaluations: EvaluationCount? = nil) {
        self.state = state
        self.evaluations = evaluations
        evaluator = ReferenceEvaluator(state)
    }

    package var version: Version { state.version }
    package var tag: HistoryTag { state.tag }
    package var schema: Schema { state.schema }

    package func count(of classID: ClassID) -> Int { state.keys(of: classID).count }

    package func exists(_ classID: ClassID, _ key: ObjectKey) throws -> Bool { try state.exists(classID, key) }

    package func key(of classID: ClassID, primaryKey: Value) throws -> ObjectKey? {
        try state.key(of: classID, primaryKey: primaryKey)
    }

    package func value(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Value {
        evaluations?.add()
        return try state.value(classID, key, property)
    }

    package func elementCount(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Int {
        try state.elements(classID, key, property).count
    }

    package func elements(
        _ classID: ClassID, _ key: ObjectKey, _ property: PropertyID, _ range: Range<Int>
    ) throws -> [Value] { try state.elements(classID, key, property, range) }

    package func backlinks(
        to target: ObjectReference, from origin: ClassID, _ property: PropertyID
    ) throws -> [ObjectKey] {
        _ = try state.storedProperty(property, of: try state.objectClass(origin))
        return try incomingLinks.origins(to: target.key, of: target.classID, from: origin, property, in: state)
    }

    package func read<Sink: RowSink>(
        _ classID: ClassID, _ keys: [ObjectKey], _ properties: [PropertyID], into sink: inout Sink
    ) throws -> Int {
        let objectClass = try state.objectClass(classID)
        let areMixed = try properties.map { try state.storedProperty($0, of: objectClass).type.isMixed }
        for (index, key) in keys.enumerated() {
            if sink.isFull { return index }
            guard try state.exists(classID, key) else { continue }
            sink.beginObject(key)
            for (column, property) in properties.enumerated() {
                sink.append(try state.value(classID, key, property), column, isMixed: areMixed[column])
            }
            sink.endObject()
        }
        return keys.count
    }

    package func select(_ query: BoundQuery, _ window: Window) throws -> [ObjectKey] {
        _ = try state.objectClass(query.classID)
        evaluations?.add()
        return try evaluator.select(query, window)
    }

    package func count(_ query: BoundQuery) throws -> Int {
        _ = try state.objectClass(query.classID)
        return try evaluator.count(query)
    }

    package func matches(_ query: BoundQuery, _ key: ObjectKey) throws -> Bool {
        evaluations?.add()
        return try evaluator.matches(query, key)
    }

    package func sortValues(_ keys: [SortKey], of key: ObjectKey, in classID: ClassID) throws -> [Value?] {
        _ = try state.row(classID, key)
        return try evaluator.sortValues(keys, of: key, in: classID)
    }

    package func aggregate(_ query: BoundQuery, _ requests: [AggregateRequest]) throws -> [Value] {
        _ = try state.objectClass(query.classID)
        return try evaluator.aggregate(query, requests)
    }

    package func aggregate(
        _ object: ObjectReference, _ property: PropertyID, _ functions: [AggregateRequest.Function]
    ) throws -> [Value] {
        _ = try state.elements(object.classID, object.key, property)
        return try evaluator.aggregate(object, property, functions)
    }

    package func aggregate(
        _ query: BoundQuery, _ requests: [AggregateRequest], by paths: [BoundPath]
    ) throws -> [AggregateGroup] {
        _ = try state.objectClass(query.classID)
        return try evaluator.aggregate(query, requests, by: paths)
    }

    /// By the groups of equal values.
    package func distribution(
        _ query: BoundQuery, of path: BoundPath, bounds: (ClosedRange<Double>) -> [Double]
    ) throws -> ValueDistribution {
        ValueDistribution(of: try aggregate(query, [], by: [path]), bounds: bounds)
    }

    package func sections(_ query: BoundQuery, by key: SectionKey) throws -> SectionedKeys {
        _ = try state.objectClass(query.classID)
        return try evaluator.sections(query, by: key)
    }

    package func explain(_ query: BoundQuery, _ window: Window, running: Bool) throws -> QueryExplanation {
        let name = try state.objectClass(query.classID).name
        let count = running ? try select(query, window).count : nil
        return QueryExplanation(
            QueryExplanation.Part("evaluate the predicate for every object of \(name)"), count: count)
    }

    package func testedObjects(_ query: BoundQuery, assumingIndexOf property: PropertyID) -> Int? { nil }
}

extension RowSink {
    /// Passes one value to the sink with its column type.
    fileprivate mutating func append(_ value: Value, _ column: Int, isMixed: Bool) {
        switch value {
        case .null: null(column)
        case _ where isMixed: self.value(column, value)
        case .bool(let value): bool(column, value)
        case .int(let value): int(column, value)
        case .float(let value): float(column, value)
        case .double(let value): double(column, value)
        case .string(let value): Array(value.utf8).withUnsafeBufferPointer { string(column, $0) }
        case .date(let value): date(column, value)
        case .objectId(let value): objectId(column, value)
        case .uuid(let value): uuid(column, value)
        case .link(let target): link(column, target)
        case .data(let bytes): bytes.withUnsafeBufferPointer { data(column, $0) }
        case .decimal(let value): decimal(column, value)
        case .reference, .list, .set, .dictionary, .embedded: self.value(column, value)
        }
    }
}

/// How often queries were evaluated, for all objects or for one, and values read.
final class EvaluationCount: Sendable {
    private let number = Atomic(0)

    var value: Int { number.load(ordering: .relaxed) }
    func add() { number.add(1, ordering: .relaxed) }
}
