import JSONCoding

/// Copies schemas for one class.
extension DescriptionBuilder {
    /// Returns a part of the document with the class's components in place of the generic ones, and without the
    /// examples, which are of another class.
    mutating func specialised(
        _ json: JSONValue, _ className: String, _ form: ClassForms.Form
    ) -> JSONValue {
        if let reference = Reference(json), reference.kind == .schemas {
            return copy(of: reference, className, form).json
        }
        switch json {
        case .array(let elements):
            return .array(elements.map { specialised($0, className, form) })
        case .object(let object):
            let leads = !Self.targets(of: json).isDisjoint(with: dependent)
            guard leads else { return json }
            var members: [JSONObject.Member] = []
            for member in object.members {
                switch member.name {
                case "example", "examples": continue
                case "oneOf", "anyOf":
                    let matching = member.value.elements.filter { form in
                        Reference(form).map { !Self.reshaped.contains($0.name) } ?? true
                    }
                    // A single remaining alternative needs no choice.
                    if matching.count == 1, object.members.count == 1 {
                        return specialised(matching[0], className, form)
                    }
                    members.append(
                        JSONObject.Member(
                            name: member.name, value: .array(matching.map { specialised($0, className, form) })))
                default:
                    members.append(
                        JSONObject.Member(name: member.name, value: specialised(member.value, className, form)))
                }
            }
            return .object(JSONObject(members))
        default: return json
        }
    }

    mutating func copy(
        of reference: Reference, _ className: String, _ form: ClassForms.Form
    ) -> Reference {
        if reference.name == Self.object { return forms.reference(className, form) ?? reference }
        guard dependent.contains(reference.name), let original = generic[reference.name] else { return reference }
        let copy = Copy(component: reference.name, className: className, form: form)
        if let made = copies[copy] { return made }
        let stem = forms.reference(className, form)?.name ?? className
        let wish =
            reference.name.contains(Self.object)
            ? reference.name.replacing(Self.object, with: stem) : stem + reference.name
        let made = Reference(.schemas, names.next(wish))
        // Recorded before it is built, for components that refer to themselves.
        copies[copy] = made
        added.append((made.name, specialised(original, className, form)))
        return made
    }
}
