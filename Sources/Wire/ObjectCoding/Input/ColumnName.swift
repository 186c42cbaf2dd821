import Basics
package import ObjectModel
import QuerySyntax
import QueryLanguage

/// The names of properties for the columns of a file, whose own names may be ones that no request can write.
///
/// A column with such a name, as `Price (EUR)`, is the property `Price_EUR`. Where that is the name of another column, too,
/// a hash of the column's name follows, so that the property depends on the name alone and not on the other columns.
package enum ColumnName {
    /// Whether queries and all parameters of requests read the name, as it is, as that of one property.
    package static func isPlain(_ name: String) -> Bool {
        guard name.unicodeScalars.allSatisfy(isKept), name.unicodeScalars.first.map(isFirst) == true,
            name.lowercased() != "self"
        else { return false }
        return [QueryDialect.rql, .format].allSatisfy { dialect in
            guard let query = try? QueryParser.parse("\(name) == 1", dialect: dialect),
                case .comparison(let comparison) = query.predicate, case .path(let path) = comparison.left.kind
            else { return false }
            return comparison.left.quantifier == nil && path.components == [.name(name)]
        }
    }

    private static func isKept(_ scalar: Unicode.Scalar) -> Bool {
        isFirst(scalar) || ("0"..."9").contains(scalar) || scalar == "-"
    }

    private static func isFirst(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || scalar == "_"
            || scalar.value >= 0x80 && !scalar.properties.isWhitespace && scalar.properties.generalCategory != .control
                && scalar.properties.generalCategory != .format
    }

    /// The plain name for a column: its letters, digits and hyphens, with `_` for all others between them.
    private static func plain(_ column: String) -> String {
        var name = String.UnicodeScalarView()
        var isOpen = false
        for scalar in column.unicodeScalars {
            guard isKept(scalar) else {
                isOpen = true
                continue
            }
            if isOpen, !name.isEmpty, name.last != "_" { name.append("_") }
            isOpen = false
            name.append(scalar)
        }
        var text = name.isEmpty ? "column" : String(name)
        if !isPlain(text), text.unicodeScalars.first.map(isFirst) == false { text = "_" + text }
        // A keyword.
        if !isPlain(text) { text += "_" }
        return text
    }

    /// The plain name with a hash of the column's name.
    private static func distinct(_ column: String) -> String {
        let hash = String(FNV1a.hash(column.utf8) & 0xFFFF, radix: 16)
        return plain(column) + "_" + String(repeating: "0", count: 4 - hash.count) + hash
    }

    /// Returns the names of the properties for columns, in the same order. Plain names stay as they are.
    package static func properties(for columns: [String]) -> [String] {
        let proposed = columns.map { isPlain($0) ? $0 : plain($0) }
        var uses: [String: Int] = [:]
        for name in proposed { uses[name, default: 0] += 1 }
        return zip(columns, proposed).map { column, name in
            name == column || uses[name] == 1 ? name : distinct(column)
        }
    }

    /// The properties that a column can be, likeliest first, besides that of the column's own name.
    static func candidates(_ column: String) -> [String] {
        isPlain(column) ? [] : [distinct(column), plain(column)]
    }
}

extension ClassSchema {
    /// Returns the property that a file's column of that name has the values of; nil if there is none.
    package func property(ofColumn name: String) -> PropertySchema? {
        self[name] ?? ColumnName.candidates(name).lazy.compactMap { self[$0] }.first
    }
}
