/// The syntax of a query text. Both dialects are parsed into one tree, and differ in some meanings: which paths need a
/// quantifier, how strictly types are checked, and whether an empty text is a part of others.
package enum QueryDialect: Hashable, Sendable {
    /// The text language of Realm's core, which the gateway accepts. `$0` is an argument by its number.
    case rql
    /// Predicate formats, as in `filter("age > %@", 3)`: `%@`, `%K` and `%d` use the next argument, maps are spelled
    /// `@allKeys`, `@allValues` and `[#any]`. The rules for types and null are stricter, and Cocoa's.
    case format
}
