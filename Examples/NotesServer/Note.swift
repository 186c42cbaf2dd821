import Foundation
import RealmSwift

/// Model classes as in an app: this file could be shared with one.
final class Note: Object {
    @Persisted(primaryKey: true) var name = ""
    @Persisted var text = ""
    @Persisted(indexed: true) var isDone = false
    @Persisted var created = Date()
    @Persisted var tags: List<String>
    @Persisted var folder: Folder?
}

final class Folder: Object {
    @Persisted(primaryKey: true) var name = ""
    @Persisted(originProperty: "folder") var notes: LinkingObjects<Note>

    /// Clients know the name as `_id`.
    override class func propertiesMapping() -> [String: String] { ["name": "_id"] }
}
