import ObjectModel
import QueryLanguage
import StoreContract

/// What can be observed, told apart: equal ones are one subject with many observers.
enum LiveSubjectID: Hashable, Sendable {
    case query(BoundQuery)
    case sections(BoundQuery, SectionKey)
    case collection(ObjectReference, PropertyID)
    case object(ObjectReference)
}

/// Where changes can matter to something observed.
enum LiveWatch: Hashable, Sendable {
    /// Any object of a class.
    case objects(of: ClassID)
    /// One object, and no other of its class.
    case object(ObjectReference)
    /// What lies on the ways from one object of the tree's class.
    case ways(LinkTree, from: ObjectKey)
}

/// Something observed that is kept current for all who observe it. Used by one thread at a time.
protocol LiveSubject: AnyObject {
    /// Where changes can matter. May differ after each call of `add` and after each change of the schema.
    var watches: Set<LiveWatch> { get }

    var isObserved: Bool { get }

    /// Brings it from `step.before` to `snapshot`, which is `step.after`, and tells its observers. On a throw it is of
    /// no use any more. Called also when nothing changed
    /// where it watches, if the schema did.
    func advance(_ step: LiveStep, _ snapshot: any Snapshot) throws

    /// Forgets the observers that have left.
    func prune()

    /// Tells all observers that this is the end, and forgets them.
    func fail(_ error: any Error)
}
