import Basics
import HTTPServer
import ObjectModel
import RequestHandling

/// The ways to declare a setting, by the type of the property that stores the value. The property's default is the
/// setting's default.
extension Setting {
    typealias Path<Value> = any WritableKeyPath<ServiceConfiguration, Value> & Sendable

    private static func fallback<Value>(_ path: Path<Value>) -> Value { ServiceConfiguration.defaults[keyPath: path] }

    /// An empty text counts as no value.
    static func text(_ name: String, _ path: Path<String>, _ help: String, isLive: Bool = false) -> Setting {
        let fallback = fallback(path)
        return Setting(name, .text, .text(fallback), help, isLive: isLive) { value, configuration in
            configuration[keyPath: path] = value?.text ?? fallback
        }
    }

    static func text(
        _ name: String, _ path: Path<String?>, _ help: String, otherwise: String? = nil, isLive: Bool = false,
        isSecret: Bool = false
    ) -> Setting {
        Setting(name, .text, nil, help, otherwise: otherwise, isLive: isLive, isSecret: isSecret) {
            $1[keyPath: path] = $0?.text
        }
    }

    static func flag(_ name: String, _ path: Path<Bool>, _ help: String, isLive: Bool = false) -> Setting {
        let fallback = fallback(path)
        return Setting(name, .flag, .flag(fallback), help, isLive: isLive) { value, configuration in
            configuration[keyPath: path] = value.map { $0 == .flag(true) } ?? fallback
        }
    }

    static func integer<Number: BinaryInteger & Sendable>(
        _ name: String, _ path: Path<Number>, _ range: ClosedRange<Int>, _ help: String, isLive: Bool = false
    ) -> Setting {
        number(name, .integer(range), path, help, isLive)
    }

    static func size(
        _ name: String, _ path: Path<Int>, _ range: ClosedRange<Int>, _ help: String, isLive: Bool = false
    ) -> Setting {
        number(name, .size(range), path, help, isLive)
    }

    /// Declares one setting for two properties.
    static func size(
        _ name: String, _ path: Path<Int>, and other: Path<Int>, _ range: ClosedRange<Int>, _ help: String
    ) -> Setting {
        let one = number(name, .size(range), path, help, false)
        return Setting(name, one.kind, one.fallback, help, isLive: false) { value, configuration throws(SettingError) in
            try one.assign(value, &configuration)
            configuration[keyPath: other] = configuration[keyPath: path]
        }
    }

    private static func number<Number: BinaryInteger & Sendable>(
        _ name: String, _ kind: Kind, _ path: Path<Number>, _ help: String, _ isLive: Bool
    ) -> Setting {
        let fallback = fallback(path)
        return Setting(name, kind, .integer(Int(clamping: fallback)), help, isLive: isLive) { value, configuration in
            configuration[keyPath: path] = value?.integer.map { Number(clamping: $0) } ?? fallback
        }
    }

    /// Declares an optional limit; 0 means no limit.
    static func limit(
        _ name: String, _ path: Path<Int?>, _ range: PartialRangeThrough<Int>, _ help: String, isLive: Bool = false
    ) -> Setting {
        limit(name, .integer(0...range.upperBound), path, help, isLive)
    }

    static func sizeLimit(
        _ name: String, _ path: Path<Int?>, _ range: PartialRangeThrough<Int>, _ help: String, isLive: Bool = false
    ) -> Setting {
        limit(name, .size(0...range.upperBound), path, help, isLive)
    }

    private static func limit(
        _ name: String, _ kind: Kind, _ path: Path<Int?>, _ help: String, _ isLive: Bool
    ) -> Setting {
        let fallback = fallback(path)
        return Setting(name, kind, .integer(fallback ?? 0), help, isLive: isLive) { value, configuration in
            configuration[keyPath: path] = value?.integer.map { $0 > 0 ? $0 : nil } ?? fallback
        }
    }

    /// Declares a rate in requests per second; 0 means no limit.
    static func rate(
        _ name: String, _ path: Path<RateLimit?>, _ range: PartialRangeThrough<Int>, _ help: String,
        isLive: Bool = false
    ) -> Setting {
        Setting(name, .integer(0...range.upperBound), .integer(0), help, isLive: isLive) { value, configuration in
            configuration[keyPath: path] = value?.integer.flatMap { $0 > 0 ? RateLimit(requestsPerSecond: $0) : nil }
        }
    }

    /// Declares an optional limit: without a value there is no limit.
    static func optional<Number: Numeric & Sendable>(
        _ name: String, _ path: Path<Number?>, _ range: ClosedRange<Int>, _ help: String, otherwise: String,
        isLive: Bool = false
    ) -> Setting {
        Setting(name, .integer(range), nil, help, otherwise: otherwise, isLive: isLive) {
            $1[keyPath: path] = $0?.integer.flatMap { Number(exactly: $0) }
        }
    }

    static func choice<Choice: RawRepresentable<String> & CaseIterable & Sendable>(
        _ name: String, _ path: Path<Choice>, _ help: String, isLive: Bool = false
    ) -> Setting {
        let fallback = fallback(path)
        return Setting(
            name, .choice(Choice.allCases.map(\.rawValue)), .text(fallback.rawValue), help, isLive: isLive
        ) { value, configuration in
            configuration[keyPath: path] = value?.text.flatMap { Choice(rawValue: $0) } ?? fallback
        }
    }

    static func list(_ name: String, _ path: Path<[String]>, _ help: String, isLive: Bool = false) -> Setting {
        let fallback = fallback(path)
        return Setting(name, .list, .list(fallback), help, isLive: isLive) { value, configuration in
            configuration[keyPath: path] = value?.list ?? fallback
        }
    }

    /// Declares a list whose order does not matter.
    static func set(_ name: String, _ path: Path<Set<String>>, _ help: String, isLive: Bool = false) -> Setting {
        let fallback = fallback(path)
        return Setting(name, .list, .list(fallback.sorted()), help, isLive: isLive) { value, configuration in
            configuration[keyPath: path] = value?.list.map { Set($0) } ?? fallback
        }
    }

    /// Declares a set of named choices; the default is the empty set.
    static func choices<Choice: RawRepresentable<String> & CaseIterable & Hashable & Sendable>(
        _ name: String, _ path: Path<Set<Choice>>, _ help: String, otherwise: String, isLive: Bool = false
    ) -> Setting {
        let known = Choice.allCases.map(\.rawValue)
        return Setting(name, .list, .list([]), help, otherwise: otherwise, isLive: isLive) {
            value, configuration throws(SettingError) in
            var choices: Set<Choice> = []
            for name in value?.list ?? [] {
                guard let choice = Choice(rawValue: name) else {
                    throw SettingError(
                        "'\(name)' is not one of: \(known.joined(separator: ", "))", hint: known.nearest(to: name))
                }
                choices.insert(choice)
            }
            configuration[keyPath: path] = choices
        }
    }

    /// Declares a list of addresses and networks; the default is the empty list.
    static func networks(
        _ name: String, _ path: Path<TrustedProxies>, _ help: String, isLive: Bool = false
    ) -> Setting {
        Setting(name, .list, .list([]), help, isLive: isLive) { value, configuration throws(SettingError) in
            var proxies = TrustedProxies()
            for text in value?.list ?? [] where !proxies.insert(text) {
                throw SettingError(
                    "'\(text)' is neither an address such as 10.0.0.7 nor a network such as 10.0.0.0/8")
            }
            configuration[keyPath: path] = proxies
        }
    }
}

extension SettingValue {
    /// Nil also for an empty text.
    var text: String? { if case .text(let text) = self, !text.isEmpty { text } else { nil } }
    var integer: Int? { if case .integer(let number) = self { number } else { nil } }
    var list: [String]? { if case .list(let texts) = self { texts } else { nil } }
}
