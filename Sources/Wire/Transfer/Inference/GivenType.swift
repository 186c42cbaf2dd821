import JSONCoding
package import ObjectModel

/// A type that a person gives to a property of a file: `zip=string`.
package struct GivenType: Hashable, Sendable {
    package var property: String
    package var type: PropertyType

    /// Parses `name=type`; the name may have equals signs. Throws `TransferFault`.
    package init(_ text: String) throws(TransferFault) {
        guard let sign = text.lastIndex(of: "="), sign != text.startIndex else {
            throw TransferFault("'\(text)' does not give a type to a property: write NAME=TYPE, such as zip=string.")
        }
        property = String(text[..<sign])
        let name = String(text[text.index(after: sign)...])
        guard let type = PropertyType(text: name) else { throw TransferFault(PropertyType.sentence(onMisspelt: name)) }
        guard !type.isComputed else {
            throw TransferFault("'\(property)' cannot have the type '\(name)': a file has no linking objects.")
        }
        self.type = type
    }
}
