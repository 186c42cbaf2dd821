public import Dispatch

/// Something whose changes can be published: objects and collections.
public protocol RealmSubscribable: ThreadConfined {
    /// Calls the block, on the queue or where this belongs, with what this is there: for collections first for the state
    /// as it is, and then after each change; with nil at the end.
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
