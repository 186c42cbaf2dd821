/// Who may use a route. What a caller sees and changes there is for row security to decide.
package enum Audience: Sendable {
    /// Everyone, without a credential; all get the same.
    case everyone
    /// Everyone, also anonymous callers; the response shows what the caller can see.
    case anonymous
    /// Callers with a credential of any role; everyone if there is no access control.
    case callers
    /// Callers with full access; others get 403.
    case administrators
    /// Callers who may read the metrics, which the configuration can make public; others get 403.
    case metricsReaders
}
