import ObjectModel
import StoreContract

// Internal names for types whose names the public interface uses for other types.
typealias StoredValue = ObjectModel.Value
typealias StoredType = ObjectModel.PropertyType
typealias StoredSchema = ObjectModel.Schema
typealias StoredDecimal = ObjectModel.Decimal128
typealias StoredObjectId = ObjectModel.ObjectId
typealias StoreMigration = StoreContract.Migration

// Other names of the public interface, which are those of classes in Objective-C on Apple's platforms.
public typealias RLMObjectBase = ObjectBase
public typealias RLMPropertyType = PropertyType
public typealias RLMAsyncTransactionId = AsyncTransactionId
public typealias RLMLogger = Logger
public typealias RLMLogLevel = LogLevel

/// The block of `Realm.observe`.
public typealias NotificationBlock = (_ notification: Realm.Notification, _ realm: Realm) -> Void

/// A type whose optionals properties can have.
public typealias _PersistableInsideOptional = _RealmCollectionValueInsideOptional
