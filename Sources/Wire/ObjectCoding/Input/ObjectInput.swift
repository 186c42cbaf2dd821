package import JSONCoding
package import ObjectModel
import StoreContract

/// An object in a request, checked against the schema as far as possible without the store.
package struct ObjectInput: Sendable {
    /// A link, in the form given.
    package struct Link: Sendable {
        package enum Reference: Sendable {
            case primaryKey(Value)
            case objectKey(ObjectKey)
            /// An object to create or update.
            indirect case object(ObjectInput)
        }

        package let target: ClassID
        package let reference: Reference
        package let location: InputLocation

        /// The path from the outermost object: `toys[3].maker`.
        package var path: String { location.relativePath }
    }

    /// The object that a link leads to, or the object that a property will own.
    package enum Target: Sendable {
        /// An object of the class that the property's type names.
        case link(Link)
        /// A link in a mixed value.
        case reference(Link)
        /// An object that the property will own.
        case embedded(ObjectInput)
    }

    /// A value with unresolved links.
    package typealias Content = ValueDraft<Target>

    package struct Draft: Sendable {
        package let property: PropertyID
        package let content: Content
    }

    package let classID: ClassID
    /// The values of stored properties without links.
    package var values = PropertyValues()
    /// The other values, in the order given.
    package var drafts: [Draft] = []

    package init(_ classID: ClassID) { self.classID = classID }

    func has(_ property: PropertySchema) -> Bool {
        values[property.id] != nil || drafts.contains { $0.property == property.id }
    }
}

extension ObjectInput.Content {
    /// The path of a link given as a new object; embedded objects are not links.
    package var firstNewObject: String? {
        firstLink { target in
            switch target {
            case .link(let link), .reference(let link):
                if case .object = link.reference { return link.path }
                return nil
            case .embedded(let input): return input.drafts.lazy.compactMap(\.content.firstNewObject).first
            }
        }
    }
}

/// A location in a document, for errors. It becomes text only for one, because most links lead somewhere.
package struct InputLocation: Sendable {
    private indirect enum Location: Sendable {
        case written(property: String?, path: String)
        case member(Location, String)
        case within(Location, String)

        var property: String? {
            switch self {
            case .written(let property, _): property
            case .member(let outer, let name): outer.property.map { "\($0).\(name)" } ?? name
            case .within(let outer, _): outer.property
            }
        }

        var path: String {
            switch self {
            case .written(_, let path): path
            case .member(let outer, let name): outer.path + JSONPath.member(name)
            case .within(let outer, let steps): outer.path + steps
            }
        }
    }

    private let location: Location

    private init(_ location: Location) { self.location = location }

    package init(property: String?, path: String) { location = .written(property: property, path: path) }

    /// The names of properties from the outermost object, joined by dots; nil for that object itself.
    package var property: String? { location.property }

    /// The location as a JSON path: `$.toys[3].name`.
    package var path: String { location.path }

    /// The path without the root: `toys[3].name`.
    package var relativePath: String {
        let path = path
        return String(path.dropFirst(path.hasPrefix("$.") ? 2 : 1))
    }

    package static let root = InputLocation(property: nil, path: "$")

    package func member(_ name: String) -> InputLocation { InputLocation(.member(location, name)) }

    package func within(_ steps: String) -> InputLocation {
        steps.isEmpty ? self : InputLocation(.within(location, steps))
    }

    package func problem(_ detail: String, hint: String? = nil) -> Problem {
        var problem = Problem(StoreError.Code.invalidValue, detail, property: property, hint: hint)
        problem.path = path
        return problem
    }
}
