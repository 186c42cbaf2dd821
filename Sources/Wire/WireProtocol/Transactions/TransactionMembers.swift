import Basics
import JSONCoding
import ObjectModel

/// The members of a JSON object, checked against the names that it may have.
struct TransactionMembers {
    private let object: JSONObject
    private let path: String

    /// Throws if the value is not an object, or has a member with another name.
    ///
    /// - Parameter isOperation: whether `op` is also a valid member.
    init(
        _ json: JSONValue, _ what: @autoclosure () -> String, _ names: [String], isOperation: Bool = false,
        at path: String
    ) throws(TransactionError) {
        guard case .object(let object) = json else {
            throw TransactionError("\(what()) must be a JSON object, not \(json.inWords).", path)
        }
        for member in object.members
        where !names.contains(member.name) && !(isOperation && member.name == TransactionOperation.Field.op) {
            let names = (isOperation ? [TransactionOperation.Field.op] : []) + names
            throw TransactionError(
                "\(what()) has no member '\(member.name)'. Its members are \(names.joined(separator: ", ")).",
                path + JSONPath.member(member.name), hint: names.nearest(to: member.name))
        }
        self.object = object
        self.path = path
    }

    /// Returns nil also for a member that is null, unless it may contain a null value.
    subscript(name: String) -> JSONValue? {
        let value = object[name]
        guard value == .null else { return value }
        switch name {
        case TransactionOperation.Field.value, TransactionOperation.Field.was, TransactionOperation.Field.behind:
            return value
        default: return nil
        }
    }

    func required(_ name: String) throws(TransactionError) -> JSONValue {
        guard let value = self[name] else { throw TransactionError("'\(name)' is missing.", "\(path).\(name)") }
        return value
    }

    func text(_ name: String) throws(TransactionError) -> String? {
        guard let json = self[name] else { return nil }
        guard case .string(let text) = json else {
            throw TransactionError("'\(name)' must be a string, not \(json.inWords).", "\(path).\(name)")
        }
        return text
    }

    func flag(_ name: String) throws(TransactionError) -> Bool? {
        guard let json = self[name] else { return nil }
        guard case .bool(let value) = json else {
            throw TransactionError("'\(name)' must be true or false, not \(json.inWords).", "\(path).\(name)")
        }
        return value
    }

    func mark(_ name: String) throws(TransactionError) -> Mark? {
        guard let json = self[name] else { return nil }
        guard case .string(let text) = json, let mark = Mark(text) else {
            throw TransactionError(
                "'\(name)' must be the mark that a response has in Realmgate-Mark, such as \"41-0a1b2c3d\", not \(json.inWords). After a restore a version number alone names another state.",
                "\(path).\(name)")
        }
        return mark
    }

    func position(_ name: String) throws(TransactionError) -> Int? {
        guard let json = self[name] else { return nil }
        let given: Int64? =
            switch json {
            case .int(let number): number
            // In JSON, 3.0 is the number 3, and some encoders write no other form.
            case .double(let number): Int64(exactly: number)
            default: nil
            }
        guard let number = given, number >= 0, number < Int64.max else {
            throw TransactionError("'\(name)' must be a whole number from 0, not \(json.inWords).", "\(path).\(name)")
        }
        return Int(number)
    }

    func requiredPosition(_ name: String) throws(TransactionError) -> Int {
        guard let position = try position(name) else {
            throw TransactionError("'\(name)' is missing.", "\(path).\(name)")
        }
        return position
    }
}

/// The error in a transaction's JSON.
package struct TransactionError: Error, Hashable, Sendable {
    /// A sentence for people.
    package var detail: String
    /// The location in the document: `$.value`.
    package var path: String
    /// The nearest valid word.
    package var hint: String?

    init(_ detail: String, _ path: String, hint: String? = nil) {
        self.detail = detail
        self.path = path
        self.hint = hint
    }
}
