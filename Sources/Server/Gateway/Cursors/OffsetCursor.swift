import AccessRules
import HTTPServer
import JSONCoding
import LiveQueries
import ObjectModel
import QueryLanguage
import StoreContract

/// A place in what a property of one object holds: behind so many of the result at a version.
///
/// The elements of a list have no values that would say where they are, and positions change with the list. So the cursor
/// names a position at the state of its page, and the next page looks up what that page looked at: what was in front of
/// the cursor and still is where it was, seen from the others, is left out.
///
/// As text: base64url of `[form, mark, position, what it belongs to]`.
struct OffsetCursor: Hashable, Sendable {
    var mark: Mark
    var position: Int

    static let form: Int64 = 5

    /// - Parameter query: see `fingerprint`.
    func encoded(for query: Int64) -> String {
        let json = JSONWriter(capacity: 64)
        json.beginArray()
        json.int(Self.form)
        json.plainString(mark.description)
        json.int(position)
        json.int(query)
        json.endArray()
        return Base64.url.encode(json.bytes)
    }

    init(mark: Mark, position: Int) {
        self.mark = mark
        self.position = position
    }

    /// Throws 400 for what `encoded` did not make for this query.
    ///
    /// - Parameter check: see `CursorCoding.parts`.
    init(_ text: String, for query: Int64, check: (Mark) throws -> Void) throws {
        let (form, mark, parts) = try CursorCoding.parts(of: text, check: check)
        guard form == Self.form, parts.count == 2 else { throw CursorCoding.mismatch }
        guard case .int(let position) = parts[0], let position = Int(exactly: position), position >= 0,
            case .int(let print) = parts[1]
        else { throw CursorCoding.damaged }
        guard print == query else { throw CursorCoding.mismatch }
        self.init(mark: mark, position: position)
    }

    /// Tells collections and the queries of them apart.
    static func fingerprint(_ holder: ObjectReference, _ property: PropertyID, _ parameters: QueryParameters) -> Int64 {
        var text = "\(holder.classID.rawValue):\(holder.key.rawValue):\(property.rawValue)"
        for name in QueryReader.parameters {
            // With its length, so that no two say the same.
            if let value = parameters[name] { text += "|\(name):\(value.utf8.count):\(value)" }
        }
        return Int64(bitPattern: text.withUTF8 { Fingerprint.of($0) })
    }
}

extension Gateway {
    /// Throws 410 for the mark of a cursor that is of another history, or later than everything.
    func checkKnown(_ mark: Mark, in snapshot: any Snapshot) throws {
        // A kept version may have its tag from before its file, which was a copy, got one of its own.
        guard try mark == snapshot.mark || store.knows(mark) else { throw CursorCoding.gone }
    }

    /// How many elements of a result a page behind the cursor leaves out.
    ///
    /// Throws 410 when what there was at the cursor's state is not known any more, and what the store does. Cost: that
    /// of the whole result at that state, if it is another one.
    ///
    /// - Parameter result: what the query, of what a property holds, gives in the snapshot.
    func start(
        after cursor: OffsetCursor, of query: BoundQuery, _ result: [ObjectKey], in snapshot: any Snapshot
    ) throws -> Int {
        guard cursor.mark != snapshot.mark else { return min(cursor.position, result.count) }
        let gone = CursorCoding.gone
        guard let past = try store.asOf(cursor.mark.version, before: try store.snapshot()) else { throw gone }
        var asked = query
        if let access = BoundAccess.of(snapshot) {
            guard case .property(let holder, _) = query.scope, try access.wasThere(holder, in: past.reads) else {
                throw gone
            }
            asked = access.restrict(query)
        }
        let old = try past.reads.select(asked, .all)
        let (order, oldOrder) = (query.order, asked.order)
        // What is sorted by other values than before is where it is for that reason; it says nothing of the others' places.
        var staying = Set(result).intersection(old)
        if !order.isEmpty {
            staying = try staying.filter { key in
                let now = try snapshot.sortValues(order, of: key, in: query.classID)
                let then = try past.reads.sortValues(oldOrder, of: key, in: query.classID)
                return zip(now, then).allSatisfy { $0 == $1 }
            }
        }
        let given = old.prefix(cursor.position).count { staying.contains($0) }
        let places = result.indices.filter { staying.contains(result[$0]) }
        let changes = KeyDiff.between(old.filter { staying.contains($0) }, places.map { result[$0] }) { _ in false }
        // Those of them that stayed in order are the first that are not new.
        var remaining = given - changes.deletions.prefix { $0 < given }.count
        var start = 0
        var inserted = changes.insertions[...]
        for (index, place) in places.enumerated() where remaining > 0 {
            if inserted.first == index {
                inserted.removeFirst()
            } else {
                remaining -= 1
                start = place + 1
            }
        }
        return start
    }
}
