import AccessRules
import LiveQueries
import ObjectModel
import QueryLanguage
import StoreContract

extension ChannelKey {
    /// What the key asks for as it is there for a caller, whose snapshot this is. Throws what key paths do.
    func seen(by view: AccessView, _ snapshot: any Snapshot) throws -> ChannelKey {
        guard let access = BoundAccess.of(snapshot) else { return self }
        var key = self
        key.view = view
        key.presence = key.holder.flatMap { access.presence(of: $0) }
        key.way = way.map { access.restrict($0) }
        let elements: ClassID?
        switch subject {
        case .objects(let query):
            key.subject = .objects(access.restrict(query))
            elements = query.classID
        case .sections(let query, let by):
            key.subject = .sections(access.restrict(query), by: access.restrict(by))
            elements = query.classID
        case .object(let object): elements = object.classID
        case .elements(let holder, let property):
            elements = snapshot.schema[holder.classID]?[property]?.targetClass
        }
        if key.keyPaths.isEmpty, let elements {
            // What is hidden may change without a word.
            key.keyPaths = try access.ownPaths(of: elements, isObject: key.isObject).map {
                try LiveKeyPath($0, in: elements, of: snapshot.schema, takesWildcards: false)
            }
            // But a link that is hidden from now on is another value.
            var hiding = access.visibilityPaths(of: elements)
            if case .elements = subject { hiding += access.rulePaths(of: elements) }
            key.keyPaths += try hiding.map {
                try LiveKeyPath($0, in: elements, of: access.schema, takesWildcards: false)
            }
        }
        return key
    }

    /// A snapshot as it is there for those who observe.
    func shown(_ snapshot: any Snapshot) throws -> any Snapshot { try view?.restrict(snapshot) ?? snapshot }

    private var isObject: Bool {
        if case .object = subject { return true }
        return false
    }

    /// The object that must be there as long as this is observed; nil for the objects of a class.
    var holder: ObjectReference? {
        switch subject {
        case .objects(let query), .sections(let query, by: _):
            if case .property(let holder, _) = query.scope { return holder }
            return nil
        case .elements(let holder, _), .object(let holder): return holder
        }
    }
}

/// Lets events of an observation through as they are for one caller.
struct ChannelGate: Sendable {
    private let view: AccessView
    private let holder: ObjectReference?

    /// Nil when everything is there for those who observe.
    init?(_ key: ChannelKey) {
        guard let view = key.view else { return nil }
        self.view = view
        holder = key.holder
    }

    /// The event with what is there for the caller. It is the end when the object that holds what is observed is not.
    func shown(_ event: ChannelEvent) -> ChannelEvent {
        do {
            switch event {
            case .initial(let snapshot, let content):
                let shown = try view.restrict(snapshot)
                return try isGone(shown) ? .failed(Self.gone) : .initial(shown, content)
            case .update(let version, let difference):
                // What is told of it is read as it is there by who writes it.
                return try isGone(try view.restrict(difference.snapshot)) ? .deleted(version) : event
            case .resumed, .deleted, .failed: return event
            }
        } catch {
            return .failed(error)
        }
    }

    private func isGone(_ snapshot: any Snapshot) throws -> Bool {
        guard let holder else { return false }
        return try !snapshot.exists(holder.classID, holder.key)
    }

    private static var gone: StoreError { StoreError(.notFound, "There is no such object.") }
}

extension ChannelEvent.Difference {
    var snapshot: any Snapshot {
        switch self {
        case .objects(let change): change.snapshot
        case .sections(let change): change.snapshot
        case .elements(let change): change.snapshot
        case .object(let change): change.snapshot
        }
    }
}
