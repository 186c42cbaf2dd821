import Basics
import AccessRules
import Files
import JSONCoding
import ObjectModel
import YAMLCoding

/// The contents of a configuration file: YAML or JSON, with the names of the settings as nested members.
struct ConfigurationFile {
    let path: String
    /// The values by the name of the setting.
    private(set) var values: [String: (value: SettingValue, position: YAMLPosition)] = [:]
    private(set) var roles: [Role] = []

    /// Reads the file. Throws a sentence with the file's name and the line for any error, also for an unknown name,
    /// with the nearest known one.
    init(path: String) throws(CommandError) {
        // One byte beyond the limit is enough to reject the file.
        guard let bytes = try? WholeFile.read(path, limit: YAML.sizeLimit) else {
            throw CommandError("There is no configuration file '\(path)', or it cannot be read.", exitCode: 66)
        }
        try self.init(path: path, bytes)
    }

    init(path: String, _ bytes: [UInt8]) throws(CommandError) {
        self.path = path
        let root: YAMLNode
        do {
            root = try YAML.parse(bytes)
        } catch {
            throw Self.failure(path, error.position, error.message)
        }
        if case .scalar(.null) = root.content { return }
        try add(root, under: "")
    }

    private mutating func add(_ node: YAMLNode, under prefix: String) throws(CommandError) {
        guard case .mapping(let entries) = node.content else {
            let what = prefix.isEmpty ? "The file" : "'\(prefix.dropLast())'"
            throw Self.failure(path, node.position, "\(what) must be a mapping, not \(node.json.inWords).")
        }
        let known = Self.members(of: prefix)
        for entry in entries {
            let name = prefix + entry.name
            if name == "auth.roles" {
                roles = try RoleReader(path: path).roles(entry.value)
            } else if let setting = Setting.named(name) {
                // An empty value means that the setting is absent.
                if case .scalar(.null) = entry.value.content { continue }
                do throws(SettingError) {
                    values[name] = (try setting.value(of: entry.value.json), entry.value.position)
                } catch {
                    throw Self.failure(path, entry.value.position, "'\(name)' \(error.words).")
                }
            } else if known.contains(entry.name) {
                if case .scalar(.null) = entry.value.content { continue }
                try add(entry.value, under: name + ".")
            } else {
                let section = prefix.isEmpty ? "" : " in '\(prefix.dropLast())'"
                throw Self.failure(
                    path, entry.position,
                    withHint(
                        "There is no setting '\(entry.name)'\(section).", known.nearest(to: entry.name)))
            }
        }
    }

    /// Returns the names of one level.
    private static func members(of prefix: String) -> [String] {
        var names: [String] = []
        for name in Setting.names + ["auth.roles"] where name.hasPrefix(prefix) {
            let member = String(name.dropFirst(prefix.count).prefix { $0 != "." })
            if !names.contains(member) { names.append(member) }
        }
        return names
    }

    static func failure(_ path: String, _ position: YAMLPosition, _ sentence: String) -> CommandError {
        CommandError("\(path):\(position.line):\(position.column): \(sentence)", exitCode: 78)
    }
}

extension Setting {
    /// Converts a value of the file.
    fileprivate func value(of json: JSONValue) throws(SettingError) -> SettingValue {
        switch (kind, json) {
        case (.text, .string(let text)), (.choice, .string(let text)), (.size, .string(let text)):
            return try value(of: text)
        case (.integer(let range), .int(let number)), (.size(let range), .int(let number)):
            return try check(Int(number), range)
        case (.flag, .bool(let flag)): return .flag(flag)
        case (.list, .string(let text)): return .list([text])
        case (.list, .array(let elements)):
            var texts: [String] = []
            for element in elements {
                guard case .string(let text) = element else {
                    throw SettingError("must be a list of strings, not \(element.inWords)")
                }
                texts.append(text)
            }
            return .list(texts)
        default: throw SettingError("must be \(inWords), not \(json.inWords)")
        }
    }

    private var inWords: String {
        switch kind {
        case .text: "a string"
        case .integer: "an integer"
        case .size: "a size in bytes"
        case .flag: "true or false"
        case .choice(let names): "one of \(names.joined(separator: ", "))"
        case .list: "a list of strings"
        }
    }
}
