public import Dispatch

/// What `RealmCollection` is built on.
public protocol RealmCollectionBase: RandomAccessCollection, LazyCollectionProtocol, CustomStringConvertible,
    ThreadConfined, SendableMetatype
where Element: RealmCollectionValue, Index == Int {
    /// What queries of the collection go to.
    var _source: _QuerySource { get }
}

/// A collection of stored values of one type that can be read, filtered, sorted, added up and observed.
public protocol RealmCollection: RealmCollectionBase, Equatable where Iterator == RLMIterator<Element> {
    /// What `observe(keyPaths:on:_:)` does.
    func _observe(
        _ keyPaths: [String]?, on queue: DispatchQueue?, _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken

    /// The same on an actor.
    func _observe<A: Actor>(
        _ keyPaths: [String]?, on actor: A, _isolation: isolated (any Actor)?,
        _ block: @escaping @Sendable (isolated A, RealmCollectionChange<Self>) -> Void
    ) async -> NotificationToken

    /// Whether the collection stays at one version.
    var isFrozen: Bool { get }

    /// The collection at the present version, for use on any thread.
    func freeze() -> Self

    /// The live collection for the calling thread.
    func thaw() -> Self?

    /// The realm that manages the collection; nil when none does.
    var realm: Realm? { get }

    /// Whether the collection cannot be used any more.
    var isInvalidated: Bool { get }
}

/// A collection that is, or may be, a view of something stored.
protocol RealmCollectionImpl: RealmCollection {
    /// Nil while unmanaged.
    var core: (any CollectionCore)? { get }

    /// The elements of an unmanaged collection.
    var unmanaged: [Element] { get }

    /// A view of what is stored.
    init(core: any CollectionCore)
}

extension RealmCollectionImpl {
    public var realm: Realm? { core.map { Realm($0.realm) } }
    public var isInvalidated: Bool { core?.isInvalidated ?? false }
    public var count: Int { raising { try core?.count() ?? unmanaged.count } }
    public var startIndex: Int { 0 }
    public var endIndex: Int { count }
    public func index(after i: Int) -> Int { i + 1 }
    public func index(before i: Int) -> Int { i - 1 }
    public var first: Element? { isEmpty ? nil : element(at: 0) }
    public var last: Element? { isEmpty ? nil : element(at: count - 1) }

    func element(at position: Int) -> Element {
        raising {
            guard let core else {
                try checkIndex(position, unmanaged.count)
                return unmanaged[position]
            }
            return try Element._restored(_Stored(core.value(at: position)), in: core.realm)
        }
    }

    public func makeIterator() -> RLMIterator<Element> {
        guard let core else { return RLMIterator(unmanaged) }
        return raising { RLMIterator(try core.values().map(_Stored.init), in: core.realm) }
    }
}

/// Goes through the elements that a collection had when the iteration began, whatever becomes of the collection.
public struct RLMIterator<Element: RealmCollectionValue>: IteratorProtocol {
    private enum Source {
        case stored([_Stored], RLMRealm)
        case plain([Element])
    }

    private let source: Source
    private var position = 0

    init(_ elements: [Element]) { source = .plain(elements) }

    init(_ elements: [_Stored], in realm: RLMRealm) { source = .stored(elements, realm) }

    public mutating func next() -> Element? {
        defer { position += 1 }
        switch source {
        case .plain(let elements): return position < elements.count ? elements[position] : nil
        case .stored(let elements, let realm):
            guard position < elements.count else { return nil }
            return raising { try Element._restored(elements[position], in: realm) }
        }
    }
}
