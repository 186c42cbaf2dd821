public import Foundation
import RealmFileKeys
import RealmFiles
public import RealmSwift

extension Realm.Configuration {
    /// The key of 64 bytes that the file of Realm at `seedFilePath` is encrypted with; nil if it is not.
    ///
    /// It is for reading that file alone: the realm that is made of it is not encrypted. Opening the realm throws
    /// `Realm.Error` with `invalidDatabase` for a key that does not open the file, also when the seed is not a file of
    /// Realm. A file of Realm that is not encrypted needs no key, and a key that is given does no harm. Without
    /// `seedFilePath`, and when the realm's own file is there, the key is not used.
    public var seedEncryptionKey: Data? {
        get { seedKey.map { Data($0.bytes) } }
        set { seedKey = newValue.map { RealmFileKey([UInt8]($0)) } }
    }
}
