/// The value that divides a result into sections: a value of each object, or a function of it.
package struct SectionKey: Hashable, Sendable {
    /// Written after the key path: `breed.first`, `born.year`. Null stays null.
    package enum Function: String, Hashable, Sendable, CaseIterable {
        /// The first character of a string, in upper case; the empty string for an empty one.
        case first
        /// The year of a date, in UTC: an Int.
        case year
        /// The month of a date, in UTC: `2026-11`.
        case month
        /// The day of a date, in UTC: `2026-11-21`.
        case day
        /// The hour of a date, in UTC: an Int 0...23.
        case hour
        /// The weekday of a date, in UTC: an Int 1...7 from Monday.
        case weekday
        /// Whether any value is null: a Bool. Here null does not stay null.
        case isNull
    }

    /// The order of the sections.
    package enum Order: Hashable, Sendable, CaseIterable {
        /// That of their first elements.
        case firstElements
        /// That of their keys.
        case ascending
        case descending
    }

    /// A path to one value, which is neither an object nor a collection. A null link on the path makes the key null.
    package var path: BoundPath
    package var function: Function?
    package var order: Order

    package init(_ path: BoundPath, _ function: Function? = nil, order: Order = .firstElements) {
        self.path = path
        self.function = function
        self.order = order
    }

    /// Whether the keys can have any type.
    package var givesMixed: Bool { function == nil && path.givesMixed }
}
