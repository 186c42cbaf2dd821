import StoreContract

/// The base class of types whose objects are only sent to a gateway, such as measurements and events: see `ObjectBase`.
///
/// `Realm.create` makes one within a write. The realm sends it like other new objects, keeps it in its file until the
/// gateway has answered, also over a restart of the program, and then removes it. It cannot be read, changed, deleted,
/// linked to or subscribed to. It may link to objects, and hold embedded ones.
///
/// The class needs a primary key, and the gateway a class with the same properties, which is an ordinary one there. A
/// local realm refuses a configuration that lists such a class in `objectTypes`; without a list it leaves the class out.
open class AsymmetricObject: ObjectBase {
    public required init() { super.init() }

    /// See `Object.init(value:)`. An object made so is never managed: give it to `Realm.create` as the value.
    public convenience init(value: Any) {
        self.init()
        trapOnError { try fill(from: value) }
    }

    /// See `Object.objectSchema`.
    public var objectSchema: ObjectSchema { ownSchema }

    /// See `Object.primaryKey`.
    open class func primaryKey() -> String? { nil }

    /// See `Object.ignoredProperties`.
    open class func ignoredProperties() -> [String] { [] }

    /// See `Object.subscript`.
    open subscript(key: String) -> Any? {
        get { trapOnError { try namedValue(slot(of: key)) } }
        set { trapOnError { try setDynamicValue(slot(of: key), newValue) } }
    }
}

extension Realm {
    /// Creates an object that is only sent to the gateway, within a write, from a dictionary, an array or another object.
    /// Traps for a primary key that an unsent object has.
    public func create<T: AsymmetricObject>(_ type: T.Type, value: Any = [String: Any]()) {
        trapOnError {
            _ = try rlm.writing(RLMRealm.notWritingRealm)
            _ = try ObjectBuilder(_ObjectPersister(rlm, .error)).create(rlm.bound(type), from: value)
        }
    }
}

extension BoundClass {
    var isAsymmetric: Bool { model?.isAsymmetric == true }

    /// Throws for a class whose objects cannot be read.
    func checkReadable() throws {
        if isAsymmetric { throw RealmException("You cannot query an asymmetric class.") }
    }
}
