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
/// Another name of `ObjectBase`.
public typealias RLMObjectBase = ObjectBase
/// Another name of `PropertyType`.
public typealias RLMPropertyType = PropertyType
/// Another name of `AsyncTransactionId`.
public typealias RLMAsyncTransactionId = AsyncTransactionId
/// Another name of `Logger`.
public typealias RLMLogger = Logger
/// Another name of `LogLevel`.
public typealias RLMLogLevel = LogLevel

/// The block of `Realm.observe`.
public typealias NotificationBlock = (_ notification: Realm.Notification, _ realm: Realm) -> Void

/// A type whose optionals properties can have.
public typealias _PersistableInsideOptional = _RealmCollectionValueInsideOptional

/// Runs the body. Swift on Linux uses reference counting only, so no pool is created; the function lets code written
/// for Apple's platforms compile unchanged.
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }
