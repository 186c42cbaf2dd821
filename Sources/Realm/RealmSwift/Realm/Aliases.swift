import ObjectModel
import StoreContract

// Internal names for types whose names the public interface uses for other types.
typealias StoredValue = ObjectModel.Value
typealias StoredType = ObjectModel.PropertyType
typealias StoredSchema = ObjectModel.Schema
typealias StoredDecimal = ObjectModel.Decimal128
typealias StoredObjectId = ObjectModel.ObjectId
typealias StoreMigration = StoreContract.Migration
