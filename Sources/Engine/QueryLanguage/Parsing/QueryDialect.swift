/// Which of the two ways of writing queries a text follows. Both are read into one tree, and mean different things in
/// some points: which paths take a quantifier, how strictly types are checked, and what an empty text is a part of.
package enum QueryDialect: Hashable, Sendable {
    /// The text language of Realm's core: what the gateway takes. `$0` names an argument by its number.
    case rql
    /// Predicate formats, as `filter("age > %@", 3)` takes them: `%@`, `%K` and `%d` take the next argument, maps are
    /// spelled `@allKeys`, `@allValues` and `[#any]`. The rules for types and null are stricter, and Cocoa's.
    case format
}
