/// Reads nodes, and checks each before it is used. Not sendable: a reader belongs to one reading of one table.
final class NodeReader {
    let image: FileImage
    /// Where nodes must end.
    let end: Int
    let format: Int
    /// The objects that links may lead to; nil until the tables are known.
    let targets: LinkTargets?
    var budget: ReadingBudget
    /// The texts that were not UTF-8.
    let texts: InvalidTexts
    /// What is read, for the words of a fault.
    var subject = "the list of tables"
    /// The values of enumerated columns, by their offset.
    var enumerations: [Int64: [RealmValue]] = [:]
    /// The table that the latest link leads to.
    var lastTarget: (table: UInt32, keys: KeyRanges)?

    /// Realm nests collections at most 100 deep, and their trees have 2 levels above the leaves at a million elements.
    static let depthLimit = 128
    /// The most elements of a node that has no bytes for them. Realm's nodes have at most 1,000.
    static let emptyLimit = 65_536

    init(
        _ image: FileImage, _ header: FileHeader, targets: LinkTargets?, budget: ReadingBudget,
        _ texts: InvalidTexts = InvalidTexts()
    ) {
        self.texts = texts
        self.image = image
        self.targets = targets
        self.budget = budget
        end = header.end
        format = header.format
    }

    func damaged(_ reason: String, at ref: Int64) -> RealmFileError {
        .damaged(location: "\(subject), node \(ref)", reason: reason)
    }

    func node(at ref: Int64) throws(RealmFileError) -> Node {
        guard ref >= FileHeader.length, ref & 7 == 0, ref <= end - Node.headerLength,
            let word = image.word(at: Int(ref))
        else { throw damaged("no node can be there", at: ref) }
        let flags = Int(truncatingIfNeeded: word >> 32) & 0xFF
        // The size alone is big-endian.
        let size = Int(truncatingIfNeeded: word.byteSwapped & 0xFF_FFFF)
        let form: Node.Form
        var length: Int
        let width = (1 << (flags & 7)) >> 1
        switch flags >> 3 & 3 {
        case 0: (form, length) = (.bits, (size * width + 7) / 8)
        case 1: (form, length) = (.bytes, size * width)
        case 2: (form, length) = (.raw, size)
        default: throw damaged("its kind of width is unknown", at: ref)
        }
        guard length <= end - Node.headerLength - Int(ref) else { throw damaged("it ends beyond the file", at: ref) }
        guard length > 0 || size <= Self.emptyLimit else { throw damaged("it claims \(size) elements", at: ref) }
        switch budget.reserve(bytes: length, elements: form == .raw ? 0 : size) {
        case .granted: break
        case .exhausted:
            throw damaged("more is read than the file can have; nodes are shared or lead in a circle", at: ref)
        case .tooMany(let most):
            throw .tooLarge(location: "\(subject), node \(ref)", most: most)
        }
        return Node(
            ref: ref, form: form, width: width, size: size, isInner: flags & 0x80 != 0, hasRefs: flags & 0x40 != 0,
            hasContext: flags & 0x20 != 0, length: length)
    }

    /// The elements of a node of integers.
    func integers(_ node: Node, isUnsigned: Bool = false) throws(RealmFileError) -> [Int64] {
        guard !node.hasRefs else { throw damaged("integers are expected, and no references", at: node.ref) }
        return try elements(node, isUnsigned: isUnsigned)
    }

    private func elements(_ node: Node, isUnsigned: Bool) throws(RealmFileError) -> [Int64] {
        guard node.form == .bits,
            let values = image.integers(
                at: node.start, count: node.size, width: node.width, isUnsigned: isUnsigned)
        else { throw damaged("integers are expected", at: node.ref) }
        return values
    }

    func integers(at ref: Int64, isUnsigned: Bool = false) throws(RealmFileError) -> [Int64] {
        try integers(try node(at: ref), isUnsigned: isUnsigned)
    }

    /// The elements of a node that holds offsets of others.
    func slots(_ node: Node, atLeast least: Int = 0) throws(RealmFileError) -> Slots {
        // Inner nodes have the flag for references too.
        guard node.hasRefs else { throw damaged("references are expected", at: node.ref) }
        guard node.size >= least else {
            throw damaged("it has \(node.size) slots where \(least) are expected", at: node.ref)
        }
        return Slots(ref: node.ref, values: try elements(node, isUnsigned: false))
    }

    func slots(at ref: Int64, atLeast least: Int = 0) throws(RealmFileError) -> Slots {
        try slots(try node(at: ref), atLeast: least)
    }

    /// The number in a slot.
    func tagged(_ slots: Slots, _ index: Int, default other: UInt64? = nil) throws(RealmFileError) -> UInt64 {
        let value = slots[index]
        if value & 1 == 1 { return UInt64(bitPattern: value) >> 1 }
        if value == 0, let other { return other }
        throw damaged("slot \(index) is not a number", at: slots.ref)
    }

    /// The number in a slot, where one that is no `Int` cannot be meant.
    func count(_ slots: Slots, _ index: Int) throws(RealmFileError) -> Int {
        // 63 bits fit.
        Int(truncatingIfNeeded: try tagged(slots, index))
    }
}

/// The elements of a node that are offsets of other nodes, or numbers with a mark.
struct Slots {
    let ref: Int64
    let values: [Int64]

    var count: Int { values.count }

    /// A slot that is not there is an empty one: older formats have fewer.
    subscript(index: Int) -> Int64 { index >= 0 && index < values.count ? values[index] : 0 }
}
