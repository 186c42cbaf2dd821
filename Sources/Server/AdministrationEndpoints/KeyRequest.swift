import Basics
import Identity
import JSONCoding
import ObjectCoding
import ObjectModel
import RequestHandling

/// The body of a request for a new key:
/// `{"name", "role" | "roles", "claims"?, "subject"?, "expires"? | "expiresIn"?, "readOnly"?, "classes"?}`.
struct KeyRequest {
    let details: APIKey.Details

    private static let members = [
        "name", "role", "roles", "claims", "subject", "expires", "expiresIn", "readOnly", "classes",
    ]
    private static let maximumTextLength = 200
    private static let maximumListCount = 100
    private static let maximumClaimsSize = 8 * 1024
    /// The longest validity: 100 years, in seconds.
    private static let maximumLifetime: Int64 = 100 * 366 * 86_400

    /// - Parameter roles: the names of the roles that exist.
    init(_ json: JSONValue, roles known: [String], _ now: Timestamp) throws(Problem) {
        guard case .object(let object) = json else {
            throw Self.fault(
                "$", "The body describes a key as an object, such as {\"name\": \"app\", \"role\": \"admin\"}.")
        }
        for member in object.members where !Self.members.contains(member.name) {
            var problem = Self.fault("$.\(member.name)", "A key has no '\(member.name)'.")
            problem.hint = Self.members.nearest(to: member.name)
            throw problem
        }
        guard let name = try Self.text(object, "name") else {
            throw Self.fault("$.name", "A key needs a 'name' that describes its purpose.")
        }
        var roles = try Self.names(object, "roles") ?? []
        if let role = try Self.text(object, "role") {
            guard object["roles"] == nil else { throw Self.fault("$.role", "Give 'role' or 'roles', not both.") }
            roles = [role]
        }
        guard !roles.isEmpty else {
            throw Self.fault("$.role", "A key needs a 'role'. Use one of: \(known.joined(separator: ", ")).")
        }
        for role in roles where !known.contains(role) {
            var problem = Self.fault(
                object["role"] == nil ? "$.roles" : "$.role",
                "There is no role '\(role)'. Use one of: \(known.joined(separator: ", ")).")
            problem.hint = known.nearest(to: role)
            throw problem
        }
        var details = APIKey.Details(
            name: name, roles: roles, subject: try Self.text(object, "subject"), expires: try Self.end(object, now))
        switch object["claims"] {
        case nil: break
        case .object(let claims)?:
            let writer = JSONWriter(capacity: 256)
            writer.value(.object(claims))
            guard writer.count <= Self.maximumClaimsSize else {
                throw Self.fault("$.claims", "'claims' may have at most \(Self.maximumClaimsSize) bytes.")
            }
            details.claims = .object(claims)
        case let other?: throw Self.fault("$.claims", "'claims' must be an object, not \(other.inWords).")
        }
        switch object["readOnly"] {
        case nil: break
        case .bool(let flag)?: details.scope.isReadOnly = flag
        case let other?: throw Self.fault("$.readOnly", "'readOnly' must be true or false, not \(other.inWords).")
        }
        if let classes = try Self.names(object, "classes") { details.scope.classes = Set(classes) }
        self.details = details
    }

    private static func fault(_ path: String, _ sentence: String) -> Problem {
        var problem = Problem(.keysInvalid, sentence)
        problem.path = path
        return problem
    }

    private static func text(_ object: JSONObject, _ name: String) throws(Problem) -> String? {
        switch object[name] {
        case nil: return nil
        case .string(let text)? where !text.isEmpty && text.utf8.count <= maximumTextLength: return text
        case .string?: throw fault("$.\(name)", "'\(name)' must have 1 to \(maximumTextLength) bytes.")
        case let other?: throw fault("$.\(name)", "'\(name)' must be a string, not \(other.inWords).")
        }
    }

    private static func names(_ object: JSONObject, _ name: String) throws(Problem) -> [String]? {
        guard let value = object[name] else { return nil }
        guard case .array(let elements) = value, elements.count <= maximumListCount else {
            throw fault(
                "$.\(name)", "'\(name)' must be an array of at most \(maximumListCount) strings, not \(value.inWords).")
        }
        var names: [String] = []
        for element in elements {
            guard case .string(let text) = element, !text.isEmpty, text.utf8.count <= maximumTextLength else {
                throw fault(
                    "$.\(name)",
                    "'\(name)' must contain strings of 1 to \(maximumTextLength) bytes, not \(element.inWords).")
            }
            names.append(text)
        }
        return names
    }

    private static func end(_ object: JSONObject, _ now: Timestamp) throws(Problem) -> Timestamp? {
        switch (object["expires"], object["expiresIn"]) {
        case (nil, nil): return nil
        case (.string(let text)?, nil):
            guard let date = Timestamp(rfc3339: text) else {
                throw fault("$.expires", "'expires' must be a date such as 2027-01-31T12:00:00Z, not '\(text)'.")
            }
            guard date > now else { throw fault("$.expires", "'expires' is in the past.") }
            return date
        case (nil, .int(let seconds)?) where (1...maximumLifetime).contains(seconds):
            return Timestamp(seconds: now.floored.seconds + seconds)
        case (nil, let other?):
            throw fault("$.expiresIn", "'expiresIn' must be a number of seconds from 1, not \(other.inWords).")
        case (let other?, nil): throw fault("$.expires", "'expires' must be a date, not \(other.inWords).")
        case (_?, _?): throw fault("$.expires", "Give 'expires' or 'expiresIn', not both.")
        }
    }
}
