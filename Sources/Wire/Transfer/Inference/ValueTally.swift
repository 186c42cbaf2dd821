import JSONCoding
import ObjectModel

/// An example of a value, with its line in the file.
package struct ValueExample: Hashable, Sendable {
    package var line: Int
    /// At most 40 characters.
    package var text: String
}

/// Counts the forms of the values of one property, of the elements of its lists, or of the members of its objects.
/// Except for the examples, the counts do not depend on the order of the values.
final class ValueTally {
    private(set) var counts = [Int](repeating: 0, count: ValueForm.allCases.count)
    private var firsts = [ValueExample?](repeating: nil, count: ValueForm.allCases.count)
    private(set) var nulls = 0
    /// The types of the values that are typed objects, such as `{"$date": …}`.
    private(set) var typedBases: Set<BaseType> = []
    /// The integers that are 0 or 1.
    private(set) var bits = 0
    /// The dates without a time.
    private(set) var days = 0

    /// The elements of lists.
    private(set) var elements: ValueTally?
    /// The members of objects by their names; nil when there are too many names.
    private(set) var members: [String: ValueTally]? = [:]
    /// The names of `members` in the order of their first appearance.
    private(set) var names: [String] = []
    /// The members whose names were too many.
    private var rest: ValueTally?
    private(set) var memberCount = 0

    /// The number of different names up to which the members of objects are counted by name.
    static let maximumNames = 100

    /// The number of values that are not null.
    var values: Int { counts.reduce(0, +) }

    /// The forms that occur.
    var forms: Set<ValueForm> { Set(ValueForm.allCases.filter { counts[$0.rawValue] > 0 }) }

    func count(_ form: ValueForm) -> Int { counts[form.rawValue] }

    func first(_ form: ValueForm) -> ValueExample? { firsts[form.rawValue] }

    func addNull() { nulls += 1 }

    func add(_ form: ValueForm, _ text: @autoclosure () -> String, line: Int) {
        counts[form.rawValue] += 1
        if firsts[form.rawValue] == nil { firsts[form.rawValue] = ValueExample(line: line, text: text().abbreviated) }
    }

    /// Adds a field of a CSV file that is not missing.
    func add(field text: String, line: Int, _ budget: TallyBudget) throws {
        if let first = text.utf8.first, first == UInt8(ascii: "[") || first == UInt8(ascii: "{"),
            let json = try? JSONValue.parse(text), json.hasStorableNames
        {
            return try add(json, line: line, budget)
        }
        let form = ValueForm(field: text)
        record(text, form)
        add(form, text, line: line)
    }

    /// Adds a JSON value.
    func add(_ json: JSONValue, line: Int, _ budget: TallyBudget, level: Int = 0) throws {
        switch json {
        case .null: addNull()
        case .bool(let value): add(.bool, String(value), line: line)
        case .int(let value):
            if value == 0 || value == 1 { bits += 1 }
            add(ValueForm(value), String(value), line: line)
        case .double(let value): add(.double, value.description, line: line)
        case .precise(let value, _): add(.precise, value.description, line: line)
        case .string(let text):
            let form = ValueForm(string: text)
            record(text, form)
            add(form, text, line: line)
        case .array, .long:
            add(level < Self.maximumLevels ? .list : .mixedOnly, "an array", line: line)
            guard level < Self.maximumLevels else { return }
            let tally = try elements ?? budget.make()
            elements = tally
            try json.forEachElement { try tally.add($0, line: line, budget, level: level + 1) }
        case .object(let object): try add(object, line: line, budget, level)
        }
    }

    /// The levels of lists and objects beyond which values are mixed.
    private static let maximumLevels = 8

    private func record(_ text: String, _ form: ValueForm) {
        switch form {
        case .int where text == "0" || text == "1": bits += 1
        case .date where !text.utf8.contains { $0 == UInt8(ascii: ":") }: days += 1
        default: break
        }
    }

    private func add(_ object: JSONObject, line: Int, _ budget: TallyBudget, _ level: Int) throws {
        if object.members.count == 1, let member = object.members.first, TypeName(member.name) != nil {
            guard let typed = TypedObject(object) else {
                return add(.mixedOnly, "a link or dictionary", line: line)
            }
            let spelling = typed.plain?.spelling ?? member.value.spelling
            switch (typed.base, typed.plain) {
            case (.int, let plain?): return try add(plain, line: line, budget, level: level)
            case (.double, .double?), (.double, .precise?): add(.double, spelling, line: line)
            default: add(ValueForm(typed), spelling, line: line)
            }
            typedBases.insert(typed.base)
            return
        }
        guard level < Self.maximumLevels else { return add(.mixedOnly, "an object", line: line) }
        add(.object, "an object", line: line)
        for member in object.members {
            memberCount += 1
            try tally(of: member.name, budget).add(member.value, line: line, budget, level: level + 1)
        }
    }

    private func tally(of name: String, _ budget: TallyBudget) throws -> ValueTally {
        if let rest { return rest }
        if let known = members?[name] { return known }
        let made = try budget.make()
        guard names.count < Self.maximumNames else {
            rest = made
            for one in members?.values.map({ $0 }) ?? [] { made.merge(one) }
            members = nil
            names = []
            return made
        }
        members?[name] = made
        names.append(name)
        return made
    }

    /// All members of all objects together, as the values of a dictionary.
    func allMembers() -> ValueTally {
        if let rest { return rest }
        let all = ValueTally()
        for name in names { if let one = members?[name] { all.merge(one) } }
        return all
    }

    /// Adds what another tally has counted.
    private func merge(_ other: ValueTally) {
        for form in ValueForm.allCases {
            counts[form.rawValue] += other.counts[form.rawValue]
            guard let theirs = other.first(form) else { continue }
            if first(form).map({ theirs.line < $0.line }) ?? true { firsts[form.rawValue] = theirs }
        }
        nulls += other.nulls
        typedBases.formUnion(other.typedBases)
        bits += other.bits
        days += other.days
        memberCount += other.memberCount
        if let theirs = other.elements {
            let mine = elements ?? ValueTally()
            mine.merge(theirs)
            elements = mine
        }
        if let theirs = other.rest { collapse().merge(theirs) }
        for name in other.names {
            guard let theirs = other.members?[name] else { continue }
            if let rest {
                rest.merge(theirs)
            } else if let known = members?[name] {
                known.merge(theirs)
            } else if names.count < Self.maximumNames {
                let copy = ValueTally()
                copy.merge(theirs)
                members?[name] = copy
                names.append(name)
            } else {
                collapse().merge(theirs)
            }
        }
    }

    /// Forgets the names of the members.
    private func collapse() -> ValueTally {
        if let rest { return rest }
        let all = allMembers()
        rest = all
        members = nil
        names = []
        return all
    }
}

/// Bounds the memory of all tallies of a file.
final class TallyBudget {
    private var left: Int

    /// - Parameter limit: the number of tallies, of about a kilobyte each.
    init(limit: Int = 10_000) { left = limit }

    /// Throws `TransferError` when there are too many.
    func make() throws -> ValueTally {
        guard left > 0 else {
            throw TransferError(
                "The objects in the file have too many different names for a class. Write names that are data as values."
            )
        }
        left -= 1
        return ValueTally()
    }
}

extension ValueForm {
    /// The form of a typed object that is not a number of JSON.
    fileprivate init(_ typed: TypedObject) {
        self =
            switch typed.base {
            case .date: .date
            case .objectId: .objectId
            case .uuid: .uuid
            case .decimal128: .precise
            case .data: .data
            case .float: .float
            default: .special
            }
    }
}

extension JSONValue {
    /// Whether the names of all objects within can be those of members: they do not begin with `$`, except in typed
    /// objects, and have no point.
    var hasStorableNames: Bool { unstorableName == nil }

    /// The first name within that no property and no map accepts; that of a typed object with a wrong content, too.
    var unstorableName: String? {
        switch self {
        case .array(let values): return values.lazy.compactMap(\.unstorableName).first
        case .object(let object):
            if object.members.count == 1, let member = object.members.first, TypeName(member.name) != nil {
                guard let typed = TypedObject(object) else { return nil }
                return typed.plain == nil ? member.name : nil
            }
            return object.members.lazy.compactMap { member in
                member.name.hasPrefix("$") || member.name.contains(".") ? member.name : member.value.unstorableName
            }.first
        default: return nil
        }
    }

    /// The value as JSON, in short.
    fileprivate var spelling: String {
        if case .string(let text) = self { return text }
        let json = JSONWriter(capacity: 64)
        json.value(self)
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
