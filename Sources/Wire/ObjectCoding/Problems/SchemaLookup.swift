import Basics
package import ObjectModel
import QuerySyntax
import QueryLanguage
import StoreContract

extension Schema {
    /// Returns the class with that name. Throws 404 with the nearest name.
    package func named(_ name: String) throws(Problem) -> ClassSchema {
        guard let found = self[name] else {
            throw Problem(
                StoreError.Code.unknownClass, "There is no class '\(name)'.",
                hint: classes.map(\.name).nearest(to: name))
        }
        return found
    }
}

extension ClassSchema {
    /// Returns the property named by a query parameter. Throws 400 with the nearest name.
    package func named(_ name: String, parameter: String) throws(Problem) -> PropertySchema {
        guard let found = self[name] else {
            throw Problem(
                QueryError.Code.unknownProperty, "'\(self.name)' has no property '\(name)'.", parameter: parameter,
                property: name, hint: properties.map(\.name).nearest(to: name))
        }
        return found
    }
}
