import Basics
import AccessRules
import HTTPServer
import JSONCoding
import ViewMaintenance
import LiveQueries
package import ObjectModel
package import QueryLanguage
package import RequestHandling
package import StoreContract
import WriteRequests

/// A position in the elements of one object's property: an offset in the result at a version.
///
/// Elements of a list have no values that determine their position, and positions change with the list. So the cursor
/// contains a position at its page's version, and the next page compares the result with that version: elements that
/// were before the cursor and have kept their relative position are skipped.
///
/// As text: base64url of `[form, mark, position, fingerprint]`.
package struct OffsetCursor: Hashable, Sendable {
    var mark: Mark
    var position: Int

    static let form: Int64 = 5

    /// - Parameter query: see `fingerprint`.
    package func encoded(for query: Int64) -> String {
        let json = JSONWriter(capacity: 64)
        json.beginArray()
        json.int(Self.form)
        json.plainString(mark.description)
        json.int(position)
        json.int(query)
        json.endArray()
        return Base64.url.encode(json.bytes)
    }

    package init(mark: Mark, position: Int) {
        self.mark = mark
        self.position = position
    }

    /// Throws 400 for text that `encoded` did not create for this query.
    ///
    /// - Parameter check: see `CursorCoding.parts`.
    package init(_ text: String, for query: Int64, check: (Mark) throws -> Void) throws {
        let (form, mark, parts) = try CursorCoding.parts(of: text, check: check)
        guard form == Self.form, parts.count == 2 else { throw CursorCoding.mismatch }
        guard case .int(let position) = parts[0], let position = Int(exactly: position), position >= 0,
            case .int(let print) = parts[1]
        else { throw CursorCoding.damaged }
        guard print == query else { throw CursorCoding.mismatch }
        self.init(mark: mark, position: position)
    }

    /// Identifies a collection and a query of it.
    package static func fingerprint(_ holder: ObjectReference, _ property: PropertyID, _ parameters: QueryParameters)
        -> Int64
    {
        var text = "\(holder.classID.rawValue):\(holder.key.rawValue):\(property.rawValue)"
        for name in QueryReader.parameters {
            // Includes the length, so that different parameters give different texts.
            if let value = parameters[name] { text += "|\(name):\(value.utf8.count):\(value)" }
        }
        return Int64(bitPattern: text.withUTF8 { Fingerprint.of($0) })
    }
}

extension GatewayContext {
    /// Throws 410 for a cursor's mark of another history, or later than the latest version.
    package func checkKnown(_ mark: Mark, in snapshot: any Snapshot) throws {
        // The tag of a stored version may be older than the file's own, if the file was a copy.
        guard try mark.isSameState(as: snapshot.mark) || store.knows(mark) else { throw CursorCoding.gone }
    }

    /// Returns how many elements of a result a page after the cursor skips.
    ///
    /// Throws 410 if the data at the cursor's version no longer exists or the caller's permissions have changed, and
    /// the errors of the store. Cost: reads the whole result at that version, if it differs.
    ///
    /// - Parameter result: the result of the query of the property in the snapshot.
    package func start(
        after cursor: OffsetCursor, of query: BoundQuery, _ result: [ObjectKey], in snapshot: any Snapshot
    ) throws -> Int {
        guard cursor.mark != snapshot.mark else { return min(cursor.position, result.count) }
        let gone = CursorCoding.gone
        // By other permissions the position counts other elements.
        guard cursor.mark.view == snapshot.mark.view else { throw gone }
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
        // Elements whose sort values changed have moved for that reason, which does not affect the others' positions.
        var staying = Set(result).intersection(old)
        if !order.isEmpty {
            staying = try staying.filter { key in
                let now = try snapshot.sortValues(order, of: key, in: query.classID)
                let then = try past.reads.sortValues(oldOrder, of: key, in: query.classID)
                return zip(now, then).allSatisfy { $0 == $1 }
            }
        }
        let given = old.prefix(cursor.position).count { staying.contains($0) }
        let positions = result.indices.filter { staying.contains(result[$0]) }
        let changes = KeyDiff.between(old.filter { staying.contains($0) }, positions.map { result[$0] }) { _ in false }
        // The others among them that kept their order are the first ones that are not new.
        var remaining = given - changes.deletions.prefix { $0 < given }.count
        var start = 0
        var inserted = changes.insertions[...]
        for (rank, position) in positions.enumerated() where remaining > 0 {
            if inserted.first == rank {
                inserted.removeFirst()
            } else {
                remaining -= 1
                start = position + 1
            }
        }
        return start
    }
}
