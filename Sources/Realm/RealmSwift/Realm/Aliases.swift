import ObjectModel
import StoreContract

// Names that the public interface has for other types.
typealias StoredValue = ObjectModel.Value
typealias StoredType = ObjectModel.PropertyType
typealias StoredSchema = ObjectModel.Schema
typealias StoredDecimal = ObjectModel.Decimal128
typealias StoredObjectId = ObjectModel.ObjectId
typealias StoreMigration = StoreContract.Migration
