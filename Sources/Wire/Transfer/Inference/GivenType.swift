import JSONCoding
package import ObjectModel

/// A type that a person gives to a property of a file: `zip=string`.
package struct GivenType: Hashable, Sendable {
    package var property: String
    package var type: PropertyType

    /// Parses `name=type`; the name may have equals signs. Throws `TransferError`.
    package init(_ text: String) throws(TransferError) {
        guard let sign = text.lastIndex(of: "="), sign != text.startIndex else {
            throw TransferError("'\(text)' does not give a type to a property: write NAME=TYPE, such as zip=string.")
        }
        property = String(text[..<sign])
        let name = String(text[text.index(after: sign)...])
        guard let type = PropertyType(text: name) else { throw TransferError(PropertyType.sentence(onMisspelt: name)) }
        guard !type.isComputed else {
            throw TransferError("'\(property)' cannot have the type '\(name)': a file has no linking objects.")
        }
        self.type = type
    }

    /// Parses all types that were given, by the names of their properties. Throws `TransferError`, also for a property
    /// that has two.
    package static func types(_ texts: [String]) throws(TransferError) -> [String: PropertyType] {
        var given: [String: PropertyType] = [:]
        for text in texts {
            let one = try GivenType(text)
            guard given.updateValue(one.type, forKey: one.property) == nil else {
                throw TransferError("'\(one.property)' is given a type more than once. Give it one.")
            }
        }
        return given
    }
}
