package import ObjectModel
package import QueryOperators
package import QueryLanguage
package import StoreContract

/// The aggregates of a query's result by group, as tallies to which objects are added and from which they are removed.
package struct AggregateTallies: Sendable, RowTally {
    /// The maximum number of groups: beyond it tallies would take much memory.
    static let maximumGroups = 65_536

    /// The query without its order.
    package private(set) var query: BoundQuery
    private let requests: [AggregateRequest]
    /// The paths of the groups, then those of the requests.
    private let paths: [SortKey]
    private let pathCount: Int
    /// By the distinct forms of their keys.
    private var groups: [[Value]: GroupTally] = [:]
    /// The groups whose results a scan decides.
    private var ambiguous: Set<[Value]> = []
    /// The paths of the groups whose values can be equal in the order without being the same.
    private let numberPaths: [Int]
    /// What the keys of groups have at each of these paths, by the form.
    private var keyForms: [[Value: KeyForm]]
    /// The number of mixed forms.
    private var mixedForms = 0
    /// Whether a result is not known any more.
    package private(set) var isOutdated = false

    /// The values of one form in the keys of groups.
    private struct KeyForm {
        let first: Value
        /// How many groups have a value of the form.
        var groupCount = 1
        /// Whether objects had others that are equal in the order, such as 0 and -0: which one a scan reports depends
        /// on the scan.
        var isMixed = false
    }

    private init(_ query: BoundQuery, _ requests: [AggregateRequest], by paths: [BoundPath]) {
        self.query = query
        self.query.steps = []
        self.requests = requests
        self.paths = (paths + requests.map(\.path)).map { SortKey($0) }
        pathCount = paths.count
        numberPaths = paths.indices.filter { paths[$0].valueType.base.hasEqualForms }
        keyForms = numberPaths.map { _ in [:] }
        if paths.isEmpty { groups[[]] = GroupTally(key: [], requests) }
    }

    /// The tallies of a query's result; nil if it has too many groups. Cost: about that of reading the aggregates; for
    /// earlier states a look-up for each value.
    ///
    /// - Parameter query: with its objects looked up by their primary keys.
    package static func read(
        _ query: BoundQuery, _ requests: [AggregateRequest], by paths: [BoundPath], _ reads: any ObjectReads
    ) throws -> AggregateTallies? {
        var tallies = AggregateTallies(query, requests, by: paths)
        let found = try (reads as? any Snapshot)?.tallies(tallies.query, requests, by: paths, most: maximumGroups)
        switch found {
        case .tallies(let found): tallies.adopt(found)
        case .tooManyGroups: return nil
        case .unsupported, nil:
            let keys = try reads.select(query, .all)
            try tallies.read(keys, of: query.classID, tallies.paths, reads)
            if tallies.hasTooManyGroups { return nil }
        }
        for form in tallies.groups.keys { try tallies.record(form) }
        return tallies
    }

    /// Whether a scan decides a result, so that the answer must be read.
    package var isAmbiguous: Bool { mixedForms > 0 || !ambiguous.isEmpty }

    package var hasTooManyGroups: Bool { groups.count > Self.maximumGroups }

    /// The group with a key of that form; nil if there is none, or a scan decides. Throws `sumOverflow`.
    package func group(_ form: [Value]) throws -> AggregateGroup? {
        if case .group(let group)? = try groups[form]?.result(requests) { group } else { nil }
    }

    /// All groups, ascending by their keys. Throws `sumOverflow`.
    ///
    /// - Precondition: nothing is ambiguous or outdated.
    package func all() throws -> [AggregateGroup] {
        try groups.keys.compactMap { try group($0) }.sorted(by: AggregateGroup.precedes)
    }

    /// Removes the objects that may have changed as they were before the step, and adds them as they are after it.
    /// Returns the forms of the groups' keys that they were and are in.
    ///
    /// - Parameters:
    ///   - quick: the part of the query's predicate that can be evaluated quickly.
    ///   - count: returns how often a matching object occurs in the query's scope.
    package mutating func advance(
        by step: VersionDelta, _ affectedKeys: Set<ObjectKey>, quick: ValuePredicate?,
        count: (ObjectKey, any ObjectReads) throws -> Int
    ) throws -> Set<[Value]> {
        var touched: Set<[Value]> = []
        try step.forEachRow(of: query, among: affectedKeys, paths, quick: quick, count: count) { row, sign in
            touched.insert(add(row, sign: sign))
        }
        for form in touched { try record(form) }
        return touched
    }

    /// Adds an object with these values at the paths; with `sign` -1 it removes one that was added. Returns the form of
    /// its group's key.
    @discardableResult
    private mutating func add(_ values: [Value?], sign: Int) -> [Value] {
        let key = values[..<pathCount].map { $0 ?? .null }
        let form = key.map(\.distinctForm)
        if !numberPaths.isEmpty { noteKey(key, form) }
        groups[form, default: GroupTally(key: key, requests)].add(values[pathCount...], sign: sign)
        return form
    }

    mutating func add(_ row: [Value?]) { add(row, sign: 1) }

    var isFull: Bool { hasTooManyGroups }

    /// Begins with the tallies that a scan has made.
    private mutating func adopt(_ found: GroupTallies) {
        groups.reserveCapacity(found.groups.count)
        for group in found.groups {
            let form = group.key.map(\.distinctForm)
            if !numberPaths.isEmpty { noteKey(group.key, form) }
            groups[form] = group
        }
        for (index, path) in numberPaths.enumerated() {
            for form in found.mixedForms[path] where keyForms[index][form]?.isMixed == false {
                keyForms[index][form]?.isMixed = true
                mixedForms += 1
            }
        }
    }

    /// Notes the key of an object, before the object is added. Cost: a comparison, unless its group is new.
    private mutating func noteKey(_ key: [Value], _ form: [Value]) {
        let known = groups[form]?.key
        if key == known { return }
        for (index, path) in numberPaths.enumerated() where key[path] != known?[path] {
            guard var entry = keyForms[index][form[path]] else {
                keyForms[index][form[path]] = KeyForm(first: key[path])
                continue
            }
            if known == nil { entry.groupCount += 1 }
            if key[path] != entry.first, !entry.isMixed {
                entry.isMixed = true
                mixedForms += 1
            }
            keyForms[index][form[path]] = entry
        }
    }

    /// Forgets the key of a group that no longer exists.
    private mutating func forgetKey(_ form: [Value]) {
        for (index, path) in numberPaths.enumerated() {
            guard var entry = keyForms[index][form[path]] else { continue }
            entry.groupCount -= 1
            if entry.groupCount == 0, entry.isMixed { mixedForms -= 1 }
            keyForms[index][form[path]] = entry.groupCount == 0 ? nil : entry
        }
    }

    /// Removes a group without objects, and notes whether the results of another one are known.
    private mutating func record(_ form: [Value]) throws {
        ambiguous.remove(form)
        guard let group = groups[form] else { return }
        if group.count == 0, pathCount > 0 {
            groups[form] = nil
            forgetKey(form)
            return
        }
        switch try group.result(requests) {
        case .group: break
        case .ambiguous: ambiguous.insert(form)
        case .unknown: isOutdated = true
        }
    }
}

extension AggregateGroup {
    /// The form that groups with the same key have in common.
    package var form: [Value] { key.map(\.distinctForm) }

    /// The order of groups.
    package static func precedes(_ a: AggregateGroup, _ b: AggregateGroup) -> Bool { order(a.key, b.key) < 0 }

    package static func order(_ a: [Value], _ b: [Value]) -> Int {
        for (a, b) in zip(a, b) {
            let order = Value.order(a, b)
            if order != 0 { return order }
        }
        return 0
    }
}
