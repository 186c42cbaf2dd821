import StorageEngine
import LMDBStorage
import Columnar
import ObjectModel
import StoreContract
import StoredRecords

/// Checks the values that readers and writers use, unchecked, for allocation and as indexes: the schema's numbers, the
/// classes' counters, and that the columns of a cluster have as many slots as its live mask.
///
/// Reads the header of every leaf, whose page the page check has just read, and no other data.
struct CatalogueCheck {
    private let file: OpenFile
    private let path: String

    /// A higher number was not assigned by counting up from one.
    private static let highestClassNumber: UInt32 = 1 << 20

    init(_ file: OpenFile, path: String) {
        self.file = file
        self.path = path
    }

    /// Throws `invalidFile` with the fault.
    func verify() throws {
        let transaction = try file.environment.begin(readOnly: true)
        defer { transaction.abort() }
        let catalogue = try Catalogue(transaction, file.trees)
        if let fault = fault(in: catalogue.schema) { throw damaged(fault) }
        let leafCount = try transaction.entryCount(file.trees.leaves)
        for (id, state) in catalogue.classes {
            // Every cluster has at least its mask.
            guard state.nextKey >= 0, state.nextKey <= Int64(leafCount) * Int64(catalogue.capacity),
                state.objectCount >= 0, state.objectCount <= state.nextKey
            else { throw damaged("the counters of class number \(id.rawValue) are invalid") }
        }
        if let fault = try faultInLeaves(transaction, catalogue) { throw damaged(fault) }
    }

    private func fault(in schema: Schema) -> String? {
        if let fault = schema.faults().first { return "its schema is faulty (\(fault))" }
        return Self.numberFault(in: schema)
    }

    /// The fault in the numbers of classes and properties; nil if there is none.
    static func numberFault(in schema: Schema) -> String? {
        guard schema.nextClassID <= highestClassNumber else { return "its class numbers are invalid" }
        var numbers: Set<ClassID> = []
        for objectClass in schema.classes {
            guard objectClass.id.rawValue < schema.nextClassID, numbers.insert(objectClass.id).inserted else {
                return "the number of class '\(objectClass.name)' is invalid"
            }
            var properties: Set<PropertyID> = [FileFormat.liveMaskColumn]
            for property in objectClass.properties {
                guard property.id.rawValue < objectClass.nextPropertyID, properties.insert(property.id).inserted else {
                    return "the number of property '\(objectClass.name).\(property.name)' is invalid"
                }
            }
        }
        return nil
    }

    private func faultInLeaves(_ transaction: LMDBTransaction, _ catalogue: Catalogue) throws -> String? {
        var fault: String?
        var current: (address: LeafAddress, slots: Int)?
        var liveObjects: [ClassID: Int] = [:]
        try transaction.scan(file.trees.leaves, prefix: []) { key, bytes in
            let address = LeafAddress(
                classID: ClassID(key.bigEndian(at: 0)), cluster: Int(key.bigEndian(at: 4, as: UInt32.self)))
            let column = PropertyID(key.bigEndian(at: 8))
            guard let objectClass = catalogue.schema[address.classID] else { return true }
            do throws(LeafError) {
                if column == FileFormat.liveMaskColumn {
                    let mask = try LiveMask(validating: bytes)
                    current = (address, mask.slotCount)
                    liveObjects[address.classID, default: 0] += mask.liveCount
                    if mask.slotCount > catalogue.capacity { throw .malformed }
                } else if let kind = objectClass[column]?.leafKind {
                    let leaf = try Leaf(validating: bytes, kind: kind)
                    guard let current, current.address == address, leaf.count >= current.slots else { throw .truncated }
                }
            } catch {
                fault = """
                    column \(column.rawValue) of objects from \(address.cluster * catalogue.capacity) on of class \
                    '\(objectClass.name)' is damaged
                    """
            }
            return fault == nil
        }
        guard fault == nil else { return fault }
        for objectClass in catalogue.schema.classes {
            let counted = catalogue.classes[objectClass.id]?.objectCount ?? 0
            let live = liveObjects[objectClass.id] ?? 0
            if counted != live { return "class '\(objectClass.name)' should have \(counted) objects but has \(live)" }
        }
        return nil
    }

    private func damaged(_ fault: String) -> StoreError {
        StoreError(.invalidFile, "'\(path)' is damaged: \(fault). Restore it from a backup.")
    }
}
