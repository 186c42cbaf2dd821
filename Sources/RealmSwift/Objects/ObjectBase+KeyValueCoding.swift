import Foundation

/// Values by name, with the names that objects have for it on Apple's systems.
extension ObjectBase {
    /// What a property's value is to those who know it by name: see `KeyValuePath.plain`. Nil for null.
    final func namedValue(_ slot: Int) -> Any? {
        let value = dynamicValue(slot).map(KeyValuePath.plain)
        return value is NSNull ? nil : value
    }

    /// A property's value by its name, nil for null. Traps for a name that the class does not have.
    public func value(forKey key: String) -> Any? { raising { try KeyValuePath.value(of: key, in: self) } }

    /// A value by names with dots between them, which lead through links and collections; see
    /// `RealmCollection.value(forKeyPath:)`. Nil behind a null link.
    public func value(forKeyPath keyPath: String) -> Any? {
        raising { try KeyValuePath.value(at: keyPath, of: self) }
    }

    /// Assigns a property by its name, within a write when the object is managed. Traps for a name that the class does not
    /// have and for a value that does not fit.
    public func setValue(_ value: Any?, forKey key: String) { raising { try setDynamicValue(slot(of: key), value) } }

    /// Assigns a property of what the names before the last one lead to. Does nothing behind a null link.
    public func setValue(_ value: Any?, forKeyPath keyPath: String) {
        raising {
            guard let dot = keyPath.lastIndex(of: ".") else { return try setDynamicValue(slot(of: keyPath), value) }
            let key = String(keyPath[keyPath.index(after: dot)...])
            switch try KeyValuePath.value(at: String(keyPath[..<dot]), of: self) {
            case nil: return
            case let object as ObjectBase: try object.setDynamicValue(object.slot(of: key), value)
            case let map as any RealmKeyedCollection: map.setValue(value, forKey: key)
            case let collection as any RealmCollection: collection.setValue(value, forKey: key)
            case let other?: throw KeyValuePath.unknown(key, in: other)
            }
        }
    }
}
