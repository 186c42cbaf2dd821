import JSONCoding
package import LiveQueries
import ObjectCoding
import ObjectModel
import QueryLanguage
package import RequestParameters
package import StoreContract
import ViewMaintenance

/// The numbers of objects in intervals of their values, at any version of one schema.
package struct BinsRead: Hashable, Sendable {
    let query: BoundQuery
    /// The key path of the values as written.
    let name: String
    let path: BoundPath
    /// The maximum number of intervals.
    let most: Int
    let style: TypeStyle

    /// The first of the members that the answer has; `others` is the second.
    package static let name = "bins"

    /// What the answer depends on.
    package func dependence(in collection: CollectionTarget) -> ReadDependence {
        ReadDependence(from: query, showing: [name], in: collection)
    }

    private var bounds: @Sendable (ClosedRange<Double>) -> [Double] {
        let (most, type) = (most, path.valueType.base)
        return { ValueBins.bounds($0, atMost: most, of: type) }
    }

    /// The value of the member `bins`, and the member after it.
    private func bytes(of found: ValueDistribution) -> [UInt8] {
        let json = JSONWriter(capacity: 64 + found.counts.count * 48)
        json.beginObject()
        json.bins(found, path.valueType.base, style)
        json.endObject()
        return Array(json.bytes.dropFirst(#"{"\#(Self.name)":"#.utf8.count).dropLast())
    }
}

extension BinsRead: LiveValueSource {
    package func read(_ reads: any ObjectReads) throws -> [UInt8] {
        guard let snapshot = reads as? any Snapshot else {
            return bytes(of: try DistributionTally.read(query, of: path, reads, bounds: bounds))
        }
        return bytes(of: try snapshot.distribution(query, of: path, bounds: bounds))
    }

    package var histogram: LiveHistogram? { LiveHistogram(of: path, bounds: bounds, write: bytes) }
}
