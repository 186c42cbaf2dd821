package import ObjectModel

/// What an import has read and written, for a comparison with the app's own numbers.
package struct RealmImportReport: Sendable {
    /// A class of the file.
    package struct Class: Sendable {
        package let name: String
        package let isEmbedded: Bool
        /// The number of objects in the file.
        package internal(set) var objects = 0
        /// The number of objects that the database had already, by their primary keys.
        package internal(set) var present = 0
        /// The number of those that got other values, not counting links to objects that come later in the file.
        package internal(set) var modified = 0
        /// The numeric properties, in the order of the class. Each element of a collection counts as a value.
        package internal(set) var numbers: [Numbers]
    }

    /// Statistics of a numeric property. Null values are not counted.
    package struct Numbers: Sendable {
        package let property: String
        /// The number of values, including NaN.
        package private(set) var count = 0
        private var lowest: Value?
        private var highest: Value?
        private var integers: Int128 = 0
        private var floats: Double = 0
        private var decimals = Decimal128.zero

        init(_ property: String) { self.property = property }

        /// The range of all numbers except NaN; nil if there are none.
        package var minimum: String? { lowest.flatMap(Self.text) }
        package var maximum: String? { highest.flatMap(Self.text) }

        /// The sum of all numbers except NaN. Integers are added exactly, single and double precision in double
        /// precision.
        package var sum: String {
            switch lowest {
            case .int: "\(integers)"
            case .decimal: "\(decimals)"
            case .float, .double: "\(floats)"
            default: "0"
            }
        }

        mutating func add(_ value: Value) {
            switch value {
            case .int(let number): integers += Int128(number)
            case .float(let number): if !number.isNaN { floats += Double(number) }
            case .double(let number): if !number.isNaN { floats += number }
            case .decimal(let number): if !number.isNaN { decimals += number }
            case .list(let elements), .set(let elements):
                for element in elements { add(element) }
                return
            case .dictionary(let map):
                for entry in map.entries { add(entry.value) }
                return
            default: return
            }
            count += 1
            guard !value.isNaN else { return }
            if lowest.map({ Value.order(value, $0) < 0 }) ?? true { lowest = value }
            if highest.map({ Value.order(value, $0) > 0 }) ?? true { highest = value }
        }

        private static func text(_ value: Value) -> String? {
            switch value {
            case .int(let number): "\(number)"
            case .float(let number): "\(number)"
            case .double(let number): "\(number)"
            case .decimal(let number): number.description
            default: nil
            }
        }
    }

    /// In the order of the file.
    package internal(set) var classes: [Class] = []
    /// The number of links in mixed values to objects that were not imported. They are null now, or missing in a set.
    package internal(set) var lostLinks = 0
    /// The changes to classes that the database had, as sentences.
    package internal(set) var notes: [String] = []
    /// The version of the import's commit.
    package internal(set) var version = Version(0)

    package var objects: Int { classes.reduce(0) { $0 + $1.objects } }
}
