import JSONCoding
import Synchronization

/// The claims that the rules of a role refer to.
enum ClaimNames {
    private static let known = Mutex<[Role: Set<String>]>([:])
    private static let maximumKnown = 1000

    /// Returns the claims that the role's rules name. Cost: one lookup for a recently used role.
    static func keep(_ claims: JSONValue, for role: Role) -> JSONValue {
        guard !role.isAdministrator, case .object(let object) = claims, !object.members.isEmpty else { return [:] }
        let names = names(of: role)
        return .object(JSONObject(object.members.filter { names.contains($0.name) }.sorted { $0.name < $1.name }))
    }

    private static func names(of role: Role) -> Set<String> {
        known.withLock { known in
            if let names = known[role] { return names }
            if known.count >= maximumKnown { known = [:] }
            var names: Set<String> = []
            for rule in role.classes.values + [role.others] {
                for text in [rule.read, rule.create, rule.update, rule.delete] {
                    names.formUnion((text.map { RuleText($0).claims } ?? []).compactMap(\.first))
                }
            }
            known[role] = names
            return names
        }
    }
}
