import Foundation
import ObjectModel

extension ObjectBase: CustomStringConvertible {
    /// How deep objects within objects are written out.
    private static let deepest = 5

    final func describe(_ depth: Int) -> String {
        guard depth < Self.deepest else { return "<Maximum depth exceeded>" }
        let name = _class?.name ?? type(of: self).className()
        if _realm != nil, isInvalidated { return "[invalid object]" }
        var lines = ["\(name) {"]
        for (slot, property) in propertyNames.enumerated() {
            let value = Self.text(of: dynamicValue(slot), depth + 1)
            lines.append("\t\(property) = \(value.replacingOccurrences(of: "\n", with: "\n\t"));")
        }
        lines.append("}")
        return lines.joined(separator: "\n")
    }

    /// The text of a value within an object or a collection.
    static func text(of value: Any?, _ depth: Int) -> String {
        switch value.flatMap({ flattened($0) }) {
        case nil: "(null)"
        case let object as ObjectBase: object.describe(depth)
        case let data as Data:
            "<\(data.prefix(24).map { String(format: "%02x", $0) }.joined()) — \(data.count) total bytes>"
        case let collection as any _DescribedCollection: collection.describe(depth)
        case let other?: String(describing: other)
        }
    }
}

/// A collection that writes itself out within an object.
protocol _DescribedCollection {
    func describe(_ depth: Int) -> String
}
