import Basics
import AccessRules
import JSONCoding
import ObjectModel
import QuerySyntax
import QueryLanguage
import YAMLCoding

/// Reads `auth.roles` of a configuration file: a mapping from names to permissions.
///
/// `clerk: {classes: {Order: {read: 'shop == $claims.shop', create: true, readable: [number, total]}}, others: {…}}`
struct RoleReader {
    let path: String

    func roles(_ node: YAMLNode) throws(CommandError) -> [Role] {
        var roles: [Role] = []
        for entry in try entries(node, "'auth.roles'") {
            guard !entry.name.isEmpty else { throw failure(entry.position, "A role needs a name.") }
            roles.append(try role(entry.name, entry.value))
        }
        return roles
    }

    private func role(_ name: String, _ node: YAMLNode) throws(CommandError) -> Role {
        var role = Role(name: name)
        let members = ["admin", "classes", "others"]
        var rules: YAMLPosition?
        for entry in try entries(node, "The role '\(name)'") {
            switch entry.name {
            case "admin": role.isAdministrator = try flag(entry)
            case "classes":
                rules = entry.position
                for member in try entries(entry.value, "'classes' of the role '\(name)'") {
                    role.classes[member.name] = try rule(member.value, "'\(member.name)' of the role '\(name)'")
                }
            case "others":
                rules = entry.position
                role.others = try rule(entry.value, "'others' of the role '\(name)'")
            default: throw unknown(entry, "The role '\(name)'", members)
            }
        }
        if role.isAdministrator, let rules {
            throw failure(rules, "The role '\(name)' is an administrator's: it has full access and cannot have rules.")
        }
        return role
    }

    private func rule(_ node: YAMLNode, _ what: String) throws(CommandError) -> ClassRule {
        var rule = ClassRule()
        for entry in try entries(node, what) {
            switch entry.name {
            case "read": rule.read = try predicate(entry)
            case "create": rule.create = try predicate(entry)
            case "update": rule.update = try predicate(entry)
            case "delete": rule.delete = try predicate(entry)
            case "readable": rule.readableProperties = try names(entry)
            case "writable": rule.writableProperties = try names(entry)
            default: throw unknown(entry, what, ["read", "create", "update", "delete", "readable", "writable"])
            }
        }
        return rule
    }

    /// Returns a predicate, or the predicate for true; nil for false.
    private func predicate(_ entry: YAMLNode.Entry) throws(CommandError) -> String? {
        switch entry.value.content {
        case .scalar(.bool(let isAllowed)): return isAllowed ? "TRUEPREDICATE" : nil
        case .scalar(.string(let text)) where !text.isEmpty:
            do throws(QueryError) {
                try ClassRule.check(text)
                return text
            } catch {
                throw failure(
                    entry.value.position,
                    withHint(
                        "The rule for '\(entry.name)' cannot be read: \(error.message)", error.hint))
            }
        default:
            throw failure(
                entry.value.position,
                "'\(entry.name)' must be true, false, or a predicate as a string, not \(entry.value.json.inWords).")
        }
    }

    private func names(_ entry: YAMLNode.Entry) throws(CommandError) -> Set<String> {
        guard case .sequence(let nodes) = entry.value.content else {
            throw failure(
                entry.value.position, "'\(entry.name)' must be a list of properties, not \(entry.value.json.inWords).")
        }
        var names: Set<String> = []
        for node in nodes {
            guard case .scalar(.string(let name)) = node.content else {
                throw failure(
                    node.position, "'\(entry.name)' must contain names of properties, not \(node.json.inWords).")
            }
            names.insert(name)
        }
        return names
    }

    private func flag(_ entry: YAMLNode.Entry) throws(CommandError) -> Bool {
        guard case .scalar(.bool(let flag)) = entry.value.content else {
            throw failure(
                entry.value.position, "'\(entry.name)' must be true or false, not \(entry.value.json.inWords).")
        }
        return flag
    }

    private func entries(_ node: YAMLNode, _ what: String) throws(CommandError) -> [YAMLNode.Entry] {
        switch node.content {
        case .mapping(let entries): return entries
        case .scalar(.null): return []
        default: throw failure(node.position, "\(what) must be a mapping, not \(node.json.inWords).")
        }
    }

    private func unknown(_ entry: YAMLNode.Entry, _ what: String, _ members: [String]) -> CommandError {
        failure(
            entry.position,
            withHint(
                "\(what) has no '\(entry.name)'. It can have: \(members.joined(separator: ", ")).",
                members.nearest(to: entry.name)))
    }

    private func failure(_ position: YAMLPosition, _ sentence: String) -> CommandError {
        ConfigurationFile.failure(path, position, sentence)
    }
}
