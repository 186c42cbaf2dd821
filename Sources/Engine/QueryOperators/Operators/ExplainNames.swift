package import ObjectModel
package import QueryLanguage

/// Names of classes and properties for an explanation; their numbers where there is no schema.
package struct ExplainNames {
    let schema: Schema?
    /// The class of the properties.
    package var classID: ClassID

    package init(schema: Schema?, classID: ClassID) {
        self.schema = schema
        self.classID = classID
    }

    package subscript(property: PropertyID) -> String { name(property, of: classID) }

    package subscript(classID: ClassID) -> String { schema?[classID]?.name ?? "class \(classID.rawValue)" }

    func name(_ property: PropertyID, of classID: ClassID) -> String {
        schema?[classID]?[property]?.name ?? "property \(property.rawValue)"
    }

    /// A path from an object of the class.
    package func words(_ path: BoundPath) -> String {
        var current = classID
        var words: [String] = []
        for link in path.links {
            switch link {
            case .forward(let property, let target):
                words.append(name(property, of: current))
                current = target
            case .elements(let property, let target, let selector):
                words.append(name(property, of: current) + Self.words(selector))
                current = target
            case .backward(let origin, let property):
                words.append("@links.\(self[origin]).\(name(property, of: origin))")
                current = origin
            case .rowSecurity: break
            }
        }
        switch path.end {
        case .property(let property, _): words.append(name(property, of: current))
        case .object: break
        case .count: words.append("@count")
        }
        var text = words.joined(separator: ".")
        for step in path.steps {
            switch step {
            case .elements(let selector): text += Self.words(selector)
            case .rowSecurity: break
            case .keys: text += ".@keys"
            case .size: text += ".@count"
            case .length: text += ".length"
            case .typeName: text += ".@type"
            }
        }
        return text
    }

    private static func words(_ selector: ElementSelector) -> String {
        switch selector {
        case .all: "[*]"
        case .position(let index): "[\(index)]"
        case .last: "[LAST]"
        case .key(let key): "['\(key)']"
        }
    }
}
