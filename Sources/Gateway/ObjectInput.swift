import JSONCoding
import ObjectModel
import StoreContract

/// An object as a client gives it, checked against the schema as far as that goes without the store.
struct ObjectInput: Sendable {
    /// Where a link is to lead.
    indirect enum Link: Sendable {
        case nothing
        case primaryKey(Value)
        case objectKey(ObjectKey)
        /// An object to create or update.
        case object(ObjectInput)
    }

    struct LinkEntry: Sendable {
        let property: PropertyID
        /// As a path from the outermost object, for errors.
        let name: String
        let target: ClassID
        let link: Link
    }

    let classID: ClassID
    /// Of stored properties that are no links.
    var values: [PropertyID: Value] = [:]
    /// In the order given.
    var links: [LinkEntry] = []
}

/// Reads objects of JSON bodies. All faults are 422 and name the property.
struct ObjectInputReader {
    let schema: Schema

    /// - Parameter path: the names that lead to the object from the outermost one.
    func object(_ json: JSONValue, _ objectClass: ClassSchema, path: [String] = []) throws(Problem) -> ObjectInput {
        guard case .object(let object) = json else {
            throw Problem(
                422, StoreError.Code.invalidValue.rawValue,
                "A \(objectClass.name) is written as a JSON object, not as \(json.inWords).", property: name(path))
        }
        var input = ObjectInput(classID: objectClass.id)
        for member in object.members {
            let place = path + [member.name]
            guard let property = objectClass[member.name] else { throw unknown(member.name, objectClass, place) }
            guard !property.type.isComputed else {
                throw Problem(
                    422, StoreError.Code.invalidValue.rawValue,
                    "'\(objectClass.name).\(property.name)' is computed from links; set '\(property.type.base.name)' there.",
                    property: name(place))
            }
            if let target = property.targetClass.flatMap({ schema[$0] }) {
                let link = try self.link(member.value, property, objectClass, target, place)
                input.links.append(
                    ObjectInput.LinkEntry(
                        property: property.id, name: place.joined(separator: "."), target: target.id, link: link))
            } else {
                do {
                    input.values[property.id] = try ValueCoding.decode(member.value, as: property.type)
                } catch {
                    throw misfit(error, property, objectClass, place)
                }
            }
        }
        return input
    }

    private func link(
        _ json: JSONValue, _ property: PropertySchema, _ objectClass: ClassSchema, _ target: ClassSchema,
        _ place: [String]
    ) throws(Problem) -> ObjectInput.Link {
        if case .null = json { return .nothing }
        if let typed = json["$link"] {
            guard case .string(let name)? = typed["class"], let key = typed["key"] else {
                throw Problem(
                    422, StoreError.Code.invalidValue.rawValue,
                    "'\(objectClass.name).\(property.name)': write a link as {\"$link\": {\"class\": \"\(target.name)\", \"key\": …}}.",
                    property: self.name(place))
            }
            guard name == target.name else {
                throw Problem(
                    422, StoreError.Code.invalidValue.rawValue,
                    "'\(objectClass.name).\(property.name)' links to \(target.name), not to \(name).",
                    property: self.name(place), hint: target.name)
            }
            return try self.key(key, property, objectClass, target, place)
        }
        if case .object(let object) = json, object.members.first?.name.hasPrefix("$") != true {
            return .object(try self.object(json, target, path: place))
        }
        guard target.primaryKey != nil else {
            throw Problem(
                422, StoreError.Code.invalidValue.rawValue,
                "'\(objectClass.name).\(property.name)': \(target.name) has no primary key; write {\"$link\": {\"class\": \"\(target.name)\", \"key\": …}} or the object itself.",
                property: self.name(place))
        }
        return try self.key(json, property, objectClass, target, place)
    }

    private func key(
        _ json: JSONValue, _ property: PropertySchema, _ objectClass: ClassSchema, _ target: ClassSchema,
        _ place: [String]
    ) throws(Problem) -> ObjectInput.Link {
        do {
            guard let primaryKey = target.primaryKeyProperty else {
                guard case .int(let key) = try ValueCoding.decode(json, as: PropertyType(.int)) else { return .nothing }
                return .objectKey(ObjectKey(key))
            }
            return .primaryKey(try ValueCoding.decode(json, as: primaryKey.type))
        } catch {
            var fault = error
            fault.expected = "the key of an object of \(target.name), \(error.expected)"
            throw misfit(fault, property, objectClass, place)
        }
    }

    private func misfit(
        _ fault: ValueFault, _ property: PropertySchema, _ objectClass: ClassSchema, _ place: [String]
    ) -> Problem {
        Problem(
            422, StoreError.Code.invalidValue.rawValue, fault.sentence("\(objectClass.name).\(property.name)"),
            property: name(place))
    }

    private func unknown(_ given: String, _ objectClass: ClassSchema, _ place: [String]) -> Problem {
        let detail =
            given == "$key"
            ? "'$key' is given by the store and cannot be set."
            : "'\(objectClass.name)' has no property '\(given)'."
        return Problem(
            422, StoreError.Code.unknownProperty.rawValue, detail, property: name(place),
            hint: objectClass.properties.map(\.name).nearest(to: given))
    }

    private func name(_ path: [String]) -> String? { path.isEmpty ? nil : path.joined(separator: ".") }
}
