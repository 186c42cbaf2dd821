package import ObjectModel

/// The address of a leaf.
package struct LeafAddress: Hashable {
    package var classID: ClassID
    package var cluster: Int

    package init(classID: ClassID, cluster: Int) {
        self.classID = classID
        self.cluster = cluster
    }

    /// Numbers are compared in place, and not by a call for each.
    package static func == (a: LeafAddress, b: LeafAddress) -> Bool {
        a.cluster == b.cluster && a.classID.rawValue == b.classID.rawValue
    }

    package func key(_ column: PropertyID) -> [UInt8] {
        // Built in one pass: reads of single values use it repeatedly.
        [UInt8](unsafeUninitializedCapacity: 10) { bytes, count in
            let bytes = UnsafeMutableRawBufferPointer(bytes)
            bytes.storeBytes(of: classID.rawValue.bigEndian, toByteOffset: 0, as: UInt32.self)
            bytes.storeBytes(of: UInt32(cluster).bigEndian, toByteOffset: 4, as: UInt32.self)
            bytes.storeBytes(of: column.rawValue.bigEndian, toByteOffset: 8, as: UInt16.self)
            count = 10
        }
    }
}
