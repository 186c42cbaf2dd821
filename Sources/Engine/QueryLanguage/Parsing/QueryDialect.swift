/// Which of the two ways of writing queries a text follows. Both are read into one tree; what they mean differs in
/// the points that query-language.md §13 lists.
package enum QueryDialect: Hashable, Sendable {
    /// The text language of Realm's core: what the gateway takes. `$0` names an argument by its number.
    case rql
    /// Predicate formats, as `filter("age > %@", 3)` takes them: `%@`, `%K` and `%d` take the next argument, maps are
    /// spelled `@allKeys`, `@allValues` and `[#any]`. The rules for types and null are stricter, and Cocoa's.
    case format
}
