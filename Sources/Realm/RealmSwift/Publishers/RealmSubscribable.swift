public import Dispatch

/// A value whose changes can be published: an object or a collection.
public protocol RealmSubscribable: ThreadConfined {
    /// Calls the block after each change, on the queue or on the value's own thread, with the value of that thread's
    /// realm; for collections also once at the start, and with nil at the end.
    func _subscribe(
        _ keyPaths: [String]?, on queue: DispatchQueue?, _ block: @escaping (_ this: Any?) -> Void
    ) -> NotificationToken
}

extension RealmCollection where Self: RealmSubscribable {
    public func _subscribe(
        _ keyPaths: [String]?, on queue: DispatchQueue?, _ block: @escaping (_ this: Any?) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths, on: queue) { change in
            switch change {
            case .initial(let collection), .update(let collection, _, _, _): block(collection)
            case .error: break
            }
        }
    }
}

extension RealmSectionedResult where Self: RealmSubscribable {
    public func _subscribe(
        _ keyPaths: [String]?, on queue: DispatchQueue?, _ block: @escaping (_ this: Any?) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths, on: queue) { change in
            switch change {
            case .initial(let collection), .update(let collection, _, _, _, _, _): block(collection)
            }
        }
    }
}

extension Object: RealmSubscribable {
    public func _subscribe(
        _ keyPaths: [String]?, on queue: DispatchQueue?, _ block: @escaping (_ this: Any?) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths, on: queue) { (change: ObjectChange<Object>) in change.publish(block) }
    }
}

extension EmbeddedObject: RealmSubscribable {
    public func _subscribe(
        _ keyPaths: [String]?, on queue: DispatchQueue?, _ block: @escaping (_ this: Any?) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths, on: queue) { (change: ObjectChange<EmbeddedObject>) in change.publish(block) }
    }
}

extension ObjectChange {
    fileprivate func publish(_ block: (Any?) -> Void) {
        switch self {
        case .change(let object, _): block(object)
        case .deleted: block(nil)
        case .error: break
        }
    }
}

extension Results: RealmSubscribable {}
extension List: RealmSubscribable {}
extension LinkingObjects: RealmSubscribable {}
extension SectionedResults: RealmSubscribable {}
extension ResultsSection: RealmSubscribable {}
extension MutableSet: RealmSubscribable {}
extension AnyRealmCollection: RealmSubscribable {}
