import JSONCoding

/// A reference within a description, such as `#/components/schemas/Dog`.
struct Reference: Hashable {
    enum Kind: String {
        case schemas
        case parameters
        case responses
        case headers
    }

    let kind: Kind
    let name: String

    init(_ kind: Kind, _ name: String) {
        self.kind = kind
        self.name = name
    }

    /// Nil for JSON that is not a reference to a component of these kinds.
    init?(_ json: JSONValue) {
        guard let text = json["$ref"]?.text else { return nil }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "#", parts[1] == "components", let kind = Kind(rawValue: String(parts[2]))
        else { return nil }
        self.init(kind, String(parts[3]))
    }

    var json: JSONValue { ["$ref": .string("#/components/\(kind.rawValue)/\(name)")] }
}

/// Allocates unique names of components.
struct ComponentNames {
    private var taken: Set<String>

    init(taken: some Sequence<String>) { self.taken = Set(taken) }

    /// Returns the name if it is valid and free; else a similar one.
    mutating func next(_ wish: String) -> String {
        var name = ""
        for scalar in wish.unicodeScalars {
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "_", "-", ".": name.unicodeScalars.append(scalar)
            default: name += "u" + String(scalar.value, radix: 16, uppercase: true)
            }
        }
        if taken.contains(name) { name += "Class" }
        let stem = name
        var number = 2
        while !taken.insert(name).inserted {
            name = stem + String(number)
            number += 1
        }
        return name
    }
}
