import AccessRules
import JSONCoding
import ObjectModel
import Testing

@Suite("roles")
struct RoleTests {
    @Test("a class that is not named may not be touched")
    func denyByDefault() { #expect(Role(name: "guest").others == ClassRule()) }

    @Test("an embedded class that nothing readable leads to is not there: a schema cannot have it")
    func unreachedParts() {
        let schema = Schema(
            version: 1,
            classes: [
                ClassSchema(
                    "Person",
                    properties: [
                        PropertySchema("name", PropertyType(.string)),
                        PropertySchema("home", PropertyType(.link("Address"), isOptional: true)),
                    ]),
                ClassSchema(
                    "Address", isEmbedded: true,
                    properties: [PropertySchema("door", PropertyType(.link("Door"), isOptional: true))]),
                ClassSchema(
                    "Door", isEmbedded: true, properties: [PropertySchema("color", PropertyType(.string))]),
            ])
        #expect(schema.faults() == [])
        for (readable, writable, seen, written) in [
            (["name", "home"], nil, 3, 3), (["name"], nil, 1, 1), (["name"], ["name", "home"], 1, 3),
        ] as [(Set<String>, Set<String>?, Int, Int)] {
            let person = ClassRule(
                read: "TRUEPREDICATE", readableProperties: readable, writableProperties: writable)
            let all = ClassRule(read: "TRUEPREDICATE")
            let role = Role(name: "guest", classes: ["Person": person, "Address": all, "Door": all])
            let access = AccessView(role: role).access(under: schema)
            #expect(access.visibleSchema.classes.map(\.name) == Array(["Person", "Address", "Door"].prefix(seen)))
            #expect(access.writableSchema.classes.map(\.name) == Array(["Person", "Address", "Door"].prefix(written)))
            #expect(access.visibleSchema.faults() == [])
            #expect(access.writableSchema.faults() == [])
        }
    }
}
