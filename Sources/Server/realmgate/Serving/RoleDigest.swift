import AccessRules
import Cryptography
import JSONCoding

extension [Role] {
    /// A hash that gateways with the same roles have in common, whatever the order in their files.
    var digest: [UInt8] {
        let json = JSONWriter(capacity: 1024)
        json.beginArray()
        for role in sorted(by: { $0.name < $1.name }) {
            json.beginArray()
            json.string(role.name)
            json.bool(role.isAdministrator)
            for (name, rule) in role.classes.sorted(by: { $0.key < $1.key }) {
                json.string(name)
                json.rule(rule)
            }
            json.rule(role.others)
            json.endArray()
        }
        json.endArray()
        var hash = SHA256()
        hash.update(json.bytes)
        return hash.finalize()
    }
}

extension JSONWriter {
    fileprivate func rule(_ rule: ClassRule) {
        beginArray()
        for predicate in [rule.read, rule.create, rule.update, rule.delete] {
            if let predicate { string(predicate) } else { null() }
        }
        for names in [rule.readableProperties, rule.writableProperties] {
            guard let names else {
                null()
                continue
            }
            beginArray()
            for name in names.sorted() { string(name) }
            endArray()
        }
        endArray()
    }
}
