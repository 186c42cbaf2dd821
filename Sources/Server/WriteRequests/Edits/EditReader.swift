import Basics
package import JSONCoding
package import ObjectCoding
package import ObjectModel
import StoreContract

/// Parses the edit that a request makes at the end of a path. The path was resolved in a snapshot; the transaction
/// checks whether it still is the same.
package struct EditReader {
    private let resolved: ResolvedPropertyPath
    private let kind: CollectionKind
    private let reader: ObjectInputReader

    /// - Parameter kind: the kind of collection that was there when the request arrived.
    package init(_ resolved: ResolvedPropertyPath, _ kind: CollectionKind, _ schema: Schema) {
        self.resolved = resolved
        self.kind = kind
        reader = ObjectInputReader(schema: schema)
    }

    /// `POST`: inserts one element, or an array of them.
    ///
    /// - Parameter index: the position in a list.
    package func addition(_ body: JSONValue, at index: Int?) throws(Problem) -> PropertyEdit {
        switch kind {
        case .list: return .insert(try elements(body), at: index)
        case .set:
            guard index == nil else {
                throw Problem(
                    .parameterInvalid,
                    "'\(resolved.name)' is a set, whose order is fixed. Omit 'index'.", parameter: "index")
            }
            return .add(try elements(body))
        case .map:
            throw refusal("is a map. Set a value with PUT …/{key}.")
        case .single:
            throw refusal(
                resolved.property.type.isComputed
                    ? "is computed from links. Edit the property that links."
                    : "is a single value. Assign it with PUT.")
        }
    }

    /// `POST …/move`.
    package func move(_ body: JSONValue) throws(Problem) -> PropertyEdit {
        guard case .object(let object) = body else {
            throw invalid("A move is written as {\"from\": 3, \"to\": 0}, not as \(body.inWords).", "$")
        }
        for member in object.members where member.name != "from" && member.name != "to" {
            var problem = invalid(
                "A move has 'from' and 'to', not '\(member.name)'.", "$" + JSONPath.member(member.name))
            problem.hint = ["from", "to"].nearest(to: member.name)
            throw problem
        }
        return .move(from: try position(object["from"], "from"), to: try position(object["to"], "to"))
    }

    /// `PUT`: sets the value of an element, of a map's key, or of the whole property.
    package func assignment(_ body: JSONValue) throws(Problem) -> PropertyEdit {
        let isElement = resolved.element != nil || !resolved.inner.isEmpty
        return .assign(
            try reader.content(body, resolved.property, isElement: isElement, called: resolved.name, at: "$"))
    }

    /// `DELETE …?value=`: removes a value, given as JSON or as the plain text of a value of the type.
    package func removal(_ text: String) throws(Problem) -> PropertyEdit {
        guard kind == .set else {
            throw Problem(
                StoreError.Code.notACollection,
                "'\(resolved.name)' is not a set. Remove an element with DELETE …/{index or key}.", parameter: "value",
                property: resolved.property.name)
        }
        var fault: Problem?
        for json in [try? JSONValue.parse(text), .string(text)] {
            guard let json else { continue }
            do throws(Problem) {
                let content = try element(json, at: "$")
                guard content.firstNewObject == nil else {
                    throw refusal("is a set of objects. Select the object to remove by its key.")
                }
                return .discard(content)
            } catch {
                fault = fault ?? error
            }
        }
        var problem = (fault ?? refusal("has no such element.")).with(Problem.Code.parameterInvalid)
        problem.path = nil
        problem.parameter = "value"
        throw problem
    }

    /// Reads one of several values in a transaction.
    func element(_ json: JSONValue, at path: String) throws(Problem) -> ObjectInput.Content {
        try reader.content(json, resolved.property, isElement: true, called: resolved.name, at: path)
    }

    private func elements(_ body: JSONValue) throws(Problem) -> GivenElements {
        switch body {
        case .array, .long:
            try GivenElements(body) { (json, index) throws(Problem) in
                try element(json, at: "$" + JSONPath.element(index))
            }
        default: GivenElements(try element(body, at: "$"))
        }
    }

    private func position(_ json: JSONValue?, _ name: String) throws(Problem) -> Int {
        guard case .int(let number)? = json, number >= 0, number < Int64.max else {
            throw invalid(
                "'\(name)' is a position from 0 on, not \(json?.inWords ?? "left out").", "$.\(name)")
        }
        return Int(number)
    }

    private func invalid(_ detail: String, _ path: String) -> Problem {
        var problem = Problem(StoreError.Code.invalidValue, detail)
        problem.path = path
        return problem
    }

    private func refusal(_ what: String) -> Problem {
        Problem(
            StoreError.Code.notACollection, "'\(resolved.name)' \(what)", property: resolved.property.name)
    }
}
