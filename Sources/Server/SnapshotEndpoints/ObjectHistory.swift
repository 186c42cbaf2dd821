import AccessRules
import JSONCoding
import ObjectCoding
import ObjectModel
import RequestHandling
import StoreContract
import WriteRequests

/// The changes of one object, as a caller could see them.
///
/// What the caller's present rules hide at a version is not there at that version: an object that comes into sight is
/// created, one that leaves it is deleted, and a property that changed only in what is hidden did not change.
struct ObjectHistory {
    private let object: AddressedObject
    private let view: AccessView
    /// The properties that the caller sees, and how they are written. A walk does not leave the schema.
    private let columns: [(property: PropertySchema, column: RowPlan.Column)]
    private let style: TypeStyle
    /// Whether other objects decide if the caller sees this one.
    private let dependsOnOthers: Bool
    /// The maximum number of changes of a page.
    private let limit: Int
    /// The maximum size of a page in bytes.
    private let answerBytes: Int

    /// What a page may cost: a version that did not touch the object counts once, one whose two states are read as
    /// often as `stateCost` says. A page that costs more ends, and continues at its cursor.
    private static let budget = 20_000
    private static let stateCost = 50

    /// - Parameter shown: the newest version as the caller sees it.
    init(
        of object: AddressedObject, _ view: AccessView, _ shown: any Snapshot, _ style: TypeStyle, limit: Int,
        answerBytes: Int
    ) {
        self.object = object
        self.view = view
        self.style = style
        self.limit = limit
        self.answerBytes = answerBytes
        let plan = RowPlan(object.objectClass, of: shown.schema, style: style)
        columns = zip(object.objectClass.storedProperties, plan.columns).map { (property: $0, column: $1) }
        dependsOnOthers = BoundAccess.of(shown)?.dependsOnOthers(object.objectClass.id) ?? false
    }

    /// Returns the changes of versions before `version`, from the newest on if that is nil. Throws the errors of the
    /// store, and 400 for a change that is larger than a response may be.
    ///
    /// Cost: the change log back to the last version of the page; both states of each version that changed the object,
    /// or, where a rule depends on other objects, of each version.
    func page(of walk: any VersionWalk, before version: Version?) throws -> HistoryPage {
        var page = HistoryPage()
        var spent = 0
        var bytes = 0
        var track = HistoryTrack(object)
        while let logged = try walk.next() {
            if let version, logged.changes.version >= version { continue }
            guard page.changes.count < limit, spent < Self.budget else { return page }
            spent += 1
            if try track.isConcerned(by: logged.changes, walk) || dependsOnOthers {
                spent += Self.stateCost
                if let change = try change(logged, track.key, walk) {
                    bytes += change.count
                    guard bytes <= answerBytes else {
                        guard !page.changes.isEmpty else { throw Problem.answerTooLarge(answerBytes) }
                        return page
                    }
                    page.changes.append(change)
                }
                try track.goBack(walk)
            }
            page.last = logged.mark
        }
        page.last = nil
        page.end = walk.end
        return page
    }

    /// Writes what the present version of a walk changed; nil if the caller sees no change.
    ///
    /// - Parameter key: the object that the version left at the address; nil for none.
    private func change(_ logged: LoggedVersion, _ key: ObjectKey?, _ walk: any VersionWalk) throws -> JSONWriter? {
        let (after, before) = (try walk.after(), try walk.before())
        let earlierKey = try object.address.find(object.objectClass, in: before)
        let new = try key.flatMap { try seen($0, in: after) }
        let old = try earlierKey.flatMap { try seen($0, in: before) }
        guard new != nil || old != nil else { return nil }
        let json = JSONWriter(capacity: 256)
        json.beginObject()
        json.name("version")
        json.int(logged.changes.version.rawValue)
        json.name("mark")
        json.plainString(logged.mark.description)
        if let time = logged.time {
            json.name("time")
            json.date(time, style)
        }
        json.name("kind")
        json.plainString(old == nil ? "created" : new == nil ? "deleted" : "modified")
        json.name("properties")
        json.beginObject()
        var hasDifference = false
        let own = key.flatMap { logged.changes.classes[object.objectClass.id]?.modifications[$0] }
        for (property, column) in columns {
            if let new, let old, new.key == old.key {
                // A link can look different because its target came into sight, which is not a change of this object.
                guard property.ownsTarget || own?.contains(property.id) == true else { continue }
            }
            let was = try old?.write(property, column, style)
            let becomes = try new?.write(property, column, style)
            guard was?.bytes != becomes?.bytes else { continue }
            hasDifference = true
            json.name(property.name)
            json.beginObject()
            for (name, value) in [("old", was), ("new", becomes)] {
                guard let value else { continue }
                json.name(name)
                json.json(value)
            }
            json.endObject()
        }
        json.endObject()
        json.endObject()
        return hasDifference || (new == nil) != (old == nil) ? json : nil
    }

    /// The object in a state; nil if the caller does not see it there.
    private func seen(_ key: ObjectKey, in state: any ObjectReads) throws -> SeenObject? {
        let reads = try view.restrict(past: state)
        guard try reads.exists(object.objectClass.id, key) else { return nil }
        return SeenObject(ObjectReference(object.objectClass.id, key), reads)
    }
}

/// An object in one state, as a caller sees it.
private struct SeenObject {
    private let object: ObjectReference
    private let reads: any ObjectReads
    private let look: LinkResolver

    init(_ object: ObjectReference, _ reads: any ObjectReads) {
        self.object = object
        self.reads = reads
        look = LinkResolver(reads)
    }

    var key: ObjectKey { object.key }

    func write(_ property: PropertySchema, _ column: RowPlan.Column, _ style: TypeStyle) throws -> JSONWriter {
        let json = JSONWriter(capacity: 64)
        look.write(try reads.value(object.classID, object.key, property.id), column, style, json)
        if let fault = look.fault { throw fault }
        return json
    }
}
