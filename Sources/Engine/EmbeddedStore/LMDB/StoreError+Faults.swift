import ObjectModel
import StoreContract

extension StoreError {
    static func damaged(_ path: String) -> StoreError {
        StoreError(.invalidFile, "'\(path)' is damaged: a record in it cannot be read. Restore it from a backup.")
    }
}
