import Columnar
@testable import StoredRecords
@testable import StorageEngine
import ObjectModel
import StoreTesting
package import TestBasics

extension DecodingProbe {
    /// Intact bytes, of all sizes and with all kinds of content, to be damaged.
    package func sample(_ random: inout SeededRandom) -> [UInt8] {
        switch self {
        case .leaf(let kind): Self.leaf(kind, &random)
        case .liveMask: Self.liveMask(&random)
        case .elements(let hasKeys): Self.elements(hasKeys, &random)
        case .value: ValueRecord.encode(RandomValues.mixed(&random))
        case .changeSet: ChangeSetRecord.encode(Self.changeSet(&random), at: 1_800_000_000)
        case .undo: Self.undo(&random)
        case .schema: SchemaRecord.encode(RandomSchemas.schema(&random, kinds: .all))
        case .keyBlock: Self.keyBlock(&random)
        case .blockDirectory:
            {
                var directory = BlockDirectory()
                for _ in 0..<random.below(20) {
                    directory.entries.append(.init(number: directory.makeNumber(), count: random.below(200)))
                }
                return directory.encode()
            }()
        }
    }

    private static func leaf(_ kind: LeafKind, _ random: inout SeededRandom) -> [UInt8] {
        var leaf = MutableLeaf(kind: kind)
        let type = PropertyType(kind.base, isOptional: true, collection: kind.collection)
        for _ in 0..<random.below(random.oneIn(3) ? 200 : 20) {
            // Each value fits its kind, so that nothing can be rejected here.
            try? leaf.append(
                kind == .link
                    ? .link(ObjectKey(Int64(random.below(1000)))) : RandomValues.value(of: type, &random))
        }
        return leaf.encode()
    }

    private static func liveMask(_ random: inout SeededRandom) -> [UInt8] {
        var mask = MutableLiveMask()
        for _ in 0..<random.below(300) { mask.append() }
        for slot in 0..<mask.slotCount where random.oneIn(3) { mask.remove(slot) }
        return mask.encode()
    }

    private static func elements(_ hasKeys: Bool, _ random: inout SeededRandom) -> [UInt8] {
        let bases: [BaseType] = [.int, .string, .bool, .mixed, .mixed, .decimal128, .date, .data]
        let type = PropertyType(
            random.pick(bases) ?? .mixed, isOptional: random.oneIn(2), collection: hasKeys ? .map : .list)
        return ElementBlock(RandomValues.value(of: type, &random)).encode()
    }

    private static func keyBlock(_ random: inout SeededRandom) -> [UInt8] {
        var block = KeyBlock()
        let kind = random.below(3)
        for offset in 0..<KeyBlock.size where kind == 0 || !random.oneIn(kind == 1 ? 2 : 5) {
            block[offset] = ObjectKey(Int64(kind == 1 ? random.below(5000) : 100 + offset))
        }
        return block.encode(block: 0) ?? []
    }

    private static func changeSet(_ random: inout SeededRandom) -> ChangeSet {
        var changes = ChangeSet(version: Version(7), schemaChanged: random.oneIn(5))
        for number in 0..<random.below(4) {
            var own = ClassChanges()
            for _ in 0..<random.below(12) {
                let key = ObjectKey(Int64(random.below(40)))
                switch random.below(4) {
                case 0: own.insertions.insert(key)
                case 1: own.deletions.insert(key)
                default:
                    let property = PropertyID(UInt16(1 + random.below(70)))
                    if random.oneIn(2) {
                        own.recordModification(key, property)
                    } else {
                        own.recordEdit(key, property, edit(&random))
                    }
                }
            }
            changes.classes[ClassID(UInt32(number + 1))] = own
        }
        return changes
    }

    private static func edit(_ random: inout SeededRandom) -> CollectionEdit {
        func values() -> [Value] { (0..<random.below(5)).map { _ in RandomValues.mixed(&random, depth: 9) } }
        switch random.below(3) {
        case 0:
            var edit = ListEdit(replacing: random.below(5), with: random.below(9))
            for _ in 0..<random.below(3) { edit.recordMove(from: 12 + random.below(5), to: 12 + random.below(5)) }
            return .list(edit)
        case 1: return .set(SetEdit(deletions: EditedElements(values()), insertions: EditedElements(values())))
        default:
            func keys() -> EditedElements<MapKey> {
                EditedElements((0..<random.below(4)).map { _ in MapKey(RandomValues.mapKey(&random)) })
            }
            return .map(MapEdit(deletions: keys(), insertions: keys(), modifications: keys()))
        }
    }
}

extension LeafKind {
    fileprivate var base: BaseType {
        switch self {
        case .bool: .bool
        case .int: .int
        case .float: .float
        case .double: .double
        case .string: .string
        case .date: .date
        case .objectId: .objectId
        case .uuid: .uuid
        case .data: .data
        case .decimal128: .decimal128
        case .mixed, .list, .set, .map: .mixed
        case .link: .link("")
        }
    }

    fileprivate var collection: CollectionKind {
        switch self {
        case .list: .list
        case .set: .set
        case .map: .map
        default: .single
        }
    }
}
