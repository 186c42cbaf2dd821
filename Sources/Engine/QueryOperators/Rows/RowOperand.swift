import Columnar
import ObjectModel
import QueryLanguage
import QuerySyntax

/// One side of a comparison, prepared for reading object by object. Used by one thread at a time, and not reentrant
/// from its callbacks.
indirect enum RowOperand {
    case constant(ConstantView)
    case list([ConstantView])
    case path(PathReader)
    case aggregate(RowAggregate)
    case subquery(RowSubquery)
    case arithmetic(RowArithmetic)

    init(_ operand: BoundOperand, on classID: ClassID, in source: any ColumnSource) {
        switch operand {
        case .constant(let value): self = .constant(ConstantView(value))
        case .list(let values): self = .list(values.map { ConstantView($0) })
        case .objects(let objects):
            // Objects by primary keys are looked up before a query is executed, except in the conditions of steps. A
            // missing object equals nothing.
            let values = objects.elements.map { element in
                switch element {
                case .value(let value): return ConstantView(value)
                case .object(let classID, let primaryKey):
                    let key = (try? source.key(of: classID, primaryKey: primaryKey)) ?? ObjectKey(-1)
                    return ConstantView(.reference(ObjectReference(classID, key)))
                }
            }
            self = objects.isList || values.count != 1 ? .list(values) : .constant(values[0])
        case .path(let path): self = .path(PathReader(path, from: classID, in: source))
        case .aggregate(let aggregate): self = .aggregate(RowAggregate(aggregate, on: classID, in: source))
        case .subquery(let subquery): self = .subquery(RowSubquery(subquery, on: classID, in: source))
        case .arithmetic(let arithmetic): self = .arithmetic(RowArithmetic(arithmetic, on: classID, in: source))
        }
    }

    /// Whether there can be several values, or none, for one object.
    var isToMany: Bool {
        switch self {
        case .constant, .aggregate, .subquery: false
        case .list: true
        case .path(let reader): reader.isToMany
        case .arithmetic(let arithmetic): arithmetic.isToMany
        }
    }

    /// The value of an operand that is not to-many. It stays valid as long as the operand and the source.
    @inline(__always)
    func single(_ key: ObjectKey) throws -> ValueView {
        switch self {
        case .path(let reader): try reader.view(key) ?? .null
        case .constant(let constant): constant.view
        default: try singleOfOther(key)
        }
    }

    private func singleOfOther(_ key: ObjectKey) throws -> ValueView {
        switch self {
        case .constant, .list, .path: .null
        case .aggregate(let aggregate): try aggregate.value(key)
        case .subquery(let subquery): .int(Int64(try subquery.count(key)))
        case .arithmetic(let arithmetic): try arithmetic.single(key)
        }
    }

    /// Calls `body` with each value until it returns false; returns whether it reached the end.
    @inline(__always)
    func forEach(_ key: ObjectKey, _ body: (ValueView) throws -> Bool) throws -> Bool {
        switch self {
        case .constant(let constant): return try body(constant.view)
        case .path(let reader): return try reader.forEach(key, body)
        case .list(let constants):
            for constant in constants {
                guard try body(constant.view) else { return false }
            }
            return true
        case .arithmetic(let arithmetic): return try arithmetic.forEach(key, body)
        case .aggregate, .subquery: return try body(try singleOfOther(key))
        }
    }

    /// Appends all values, which stay valid as long as the operand and the source.
    @inline(never)
    func append(_ key: ObjectKey, to values: inout [ValueView]) throws {
        _ = try forEach(key) { value in
            values.append(value)
            return true
        }
    }

    /// Whether the quantifier holds for the values that pass the test; for a single value it is ignored.
    @inline(__always)
    func holds(_ quantifier: Quantifier, _ key: ObjectKey, _ test: (ValueView) throws -> Bool) throws -> Bool {
        if !isToMany { return try test(try single(key)) }
        return quantifier.holds(reachedEnd: try forEach(key) { quantifier.goesOn(after: try test($0)) })
    }
}

/// `SUBQUERY(…).@count`, object by object; its predicate is compiled once.
final class RowSubquery {
    private let links: LinkReader
    private let predicate: RowPredicate

    init(_ subquery: BoundSubquery, on classID: ClassID, in source: any ColumnSource) {
        links = LinkReader(subquery.links, from: classID, in: source)
        predicate = RowPredicate(subquery.predicate, on: subquery.classID, in: source)
    }

    func count(_ key: ObjectKey) throws -> Int {
        var count = 0
        _ = try links.forEach(key) { object in
            if try predicate.holds(object) { count += 1 }
            return true
        }
        return count
    }
}

/// `nums.@sum`, object by object. Used by one thread at a time.
final class RowAggregate {
    private let reader: PathReader
    private let empty: AggregateState
    private let isChecked: Bool
    /// The last result, whose view has been returned.
    private var last = ConstantView(.null)

    init(_ aggregate: BoundAggregate, on classID: ClassID, in source: any ColumnSource) {
        reader = PathReader(aggregate.path, from: classID, in: source)
        empty = AggregateState(aggregate.function, of: aggregate.path.valueType.base)
        isChecked = aggregate.isChecked
    }

    /// The result, valid until the next call.
    func value(_ key: ObjectKey) throws -> ValueView {
        var state = empty
        _ = try reader.forEach(key) { value in
            state.add(value)
            return true
        }
        last = ConstantView(isChecked ? try state.checked() : state.result)
        return last.view
    }
}

extension Quantifier {
    /// Whether it is still undecided after a value that passes, or fails, a test.
    @inline(__always)
    func goesOn(after passes: Bool) -> Bool { self == .all ? passes : !passes }

    /// Whether it holds when values were tested for as long as it was undecided.
    @inline(__always)
    func holds(reachedEnd: Bool) -> Bool { self == .any ? !reachedEnd : reachedEnd }

    /// Whether it holds for the values that pass the test.
    @inline(__always)
    func holds<T>(_ values: [T], _ test: (T) -> Bool) -> Bool {
        switch self {
        case .any: values.contains(where: test)
        case .all: values.allSatisfy(test)
        case .none: !values.contains(where: test)
        }
    }
}
