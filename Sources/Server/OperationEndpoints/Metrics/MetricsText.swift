/// Writes Prometheus' text format, version 0.0.4.
struct MetricsText {
    enum Kind: String {
        case counter, gauge, histogram
    }

    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private(set) var text = ""
    private var family = ""

    /// Begins a family; its samples must follow at once, before the next family.
    mutating func family(_ name: String, _ kind: Kind, _ help: String) {
        family = name
        text += "# HELP \(name) \(Self.escaped(help, quotes: false))\n# TYPE \(name) \(kind.rawValue)\n"
    }

    mutating func sample(_ labels: KeyValuePairs<String, String> = [:], _ value: Double) {
        line(labels.map { ($0.key, $0.value) }, suffix: "", value)
    }

    mutating func sample(_ labels: KeyValuePairs<String, String> = [:], _ value: Int) {
        sample(labels, Double(value))
    }

    /// Writes a family with one sample.
    mutating func single(_ name: String, _ kind: Kind, _ help: String, _ value: Double) {
        family(name, kind, help)
        sample([:], value)
    }

    mutating func single(_ name: String, _ kind: Kind, _ help: String, _ value: Int) {
        single(name, kind, help, Double(value))
    }

    /// - Parameter buckets: the number of values that are at most the bound with the same index and larger than the one
    ///   before; the last element counts those beyond every bound.
    mutating func histogram(
        _ first: (name: String, value: String)? = nil, _ second: (name: String, value: String)? = nil,
        bounds: [Double], buckets: [Int], sum: Double
    ) {
        var total = 0
        let labels = [first, second].compactMap { $0 }
        for (index, count) in buckets.enumerated() {
            total += count
            let bound = index < bounds.count ? Self.number(bounds[index]) : "+Inf"
            line(labels + [("le", bound)], suffix: "_bucket", Double(total))
        }
        line(labels, suffix: "_sum", sum)
        line(labels, suffix: "_count", Double(total))
    }

    private mutating func line(_ labels: [(name: String, value: String)], suffix: String, _ value: Double) {
        text += family + suffix
        if !labels.isEmpty {
            text += "{" + labels.map { "\($0.name)=\"\(Self.escaped($0.value, quotes: true))\"" }.joined(separator: ",")
            text += "}"
        }
        text += " \(Self.number(value))\n"
    }

    private static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return value == value.rounded() && value.magnitude < 1e15 ? String(Int64(value)) : value.description
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
