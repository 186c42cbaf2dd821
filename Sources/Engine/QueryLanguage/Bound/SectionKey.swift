/// What divides a result into sections: a value of each object, or something made of it.
package struct SectionKey: Hashable, Sendable {
    /// Written behind the key path: `breed.first`, `born.year`. Null stays null.
    package enum Function: String, Hashable, Sendable, CaseIterable {
        /// The first character of a string, in upper case; the empty string for an empty one.
        case first
        /// Of a date, in UTC: an Int.
        case year
        /// Of a date, in UTC: `2026-11`.
        case month
        /// Of a date, in UTC: `2026-11-21`.
        case day
        /// Of a date, in UTC: an Int 0...23.
        case hour
        /// Of a date, in UTC: an Int 1...7 from Monday.
        case weekday
        /// Of anything: a Bool. Null does not stay null.
        case isNull
    }

    /// To one value, which is neither an object nor a collection. A null link on the way makes the key null.
    package var path: BoundPath
    package var function: Function?

    package init(_ path: BoundPath, _ function: Function? = nil) {
        self.path = path
        self.function = function
    }
}
