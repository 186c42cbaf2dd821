import ObjectModel

/// The type of one value of an operand, for comparisons.
enum OperandType: Hashable {
    case scalar(BaseType)
    /// An object of a class.
    case object(ClassSchema)
    /// The result of `@type`.
    case typeName

    /// The name in predicate-format errors, which is Realm's.
    var name: String {
        switch self {
        case .object: "link"
        case .scalar(let base): base.queryName
        case .typeName: "string"
        }
    }

    /// A number, or a mixed value that may be one.
    var isArithmetic: Bool {
        switch self {
        case .scalar(let base): base.isNumeric || base == .mixed
        case .object, .typeName: false
        }
    }

    /// A string or data, or a mixed value that may be one.
    var isText: Bool {
        switch self {
        case .scalar(.string), .scalar(.data), .scalar(.mixed): true
        default: false
        }
    }

    /// Equal types are comparable, two kinds of numbers, and mixed values with everything that a property can hold.
    func isComparable(with other: OperandType) -> Bool {
        switch (self, other) {
        case (.scalar(let a), .scalar(let b)): a == b || (a.isNumeric && b.isNumeric) || a == .mixed || b == .mixed
        case (.object(let a), .object(let b)): a.id == b.id
        case (.scalar(.mixed), .object), (.object, .scalar(.mixed)), (.typeName, .typeName): true
        default: false
        }
    }
}

extension BaseType {
    /// The name in query errors, which is Realm's.
    var queryName: String {
        switch self {
        case .date: "timestamp"
        case .data: "binary"
        case .link, .linkingObjects: "link"
        default: name
        }
    }

    var hasBytes: Bool { self == .string || self == .data }

    /// The wider of two kinds of numbers; mixed is the widest.
    func wider(_ other: BaseType) -> BaseType { width >= other.width ? self : other }

    private var width: Int {
        switch self {
        case .int: 0
        case .float: 1
        case .double: 2
        case .decimal128: 3
        default: 4
        }
    }
}
