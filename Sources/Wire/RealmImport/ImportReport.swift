package import ObjectModel

/// What an import has read and written, to compare with what the app says of the same objects.
package struct RealmImportReport: Sendable {
    /// A class of the file.
    package struct Class: Sendable {
        package let name: String
        package let isEmbedded: Bool
        /// Of the file.
        package internal(set) var objects = 0
        /// How many of them the database had already, by their primary keys.
        package internal(set) var present = 0
        /// How many of those got other values, apart from links that lead to objects further on in the file.
        package internal(set) var modified = 0
        /// The properties of numbers, in the order of the class. The elements of a collection count one by one.
        package internal(set) var numbers: [Numbers]
    }

    /// The values of a property of numbers. Null values are not counted.
    package struct Numbers: Sendable {
        package let property: String
        /// How many values there are, NaN included.
        package private(set) var count = 0
        private var lowest: Value?
        private var highest: Value?
        private var integers: Int128 = 0
        private var floats: Double = 0
        private var decimals = Decimal128.zero

        init(_ property: String) { self.property = property }

        /// Of all numbers but NaN; nil without one.
        package var minimum: String? { lowest.flatMap(Self.text) }
        package var maximum: String? { highest.flatMap(Self.text) }

        /// Of all numbers but NaN. Integers are added exactly, single and double precision in double precision.
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
    /// How many links in mixed values led to objects that were not imported, and are null now, or missing in a set.
    package internal(set) var lostLinks = 0
    /// What became different of classes that the database had, as sentences.
    package internal(set) var notes: [String] = []
    /// The version that the import made.
    package internal(set) var version = Version(0)

    package var objects: Int { classes.reduce(0) { $0 + $1.objects } }
}
