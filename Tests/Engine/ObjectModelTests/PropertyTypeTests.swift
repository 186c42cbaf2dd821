import ObjectModel
import Testing

struct PropertyTypeTests {
    @Test(
        "a type's text form is read and written alike",
        arguments: [
            ("int", PropertyType(.int)), ("string?", PropertyType(.string, isOptional: true)),
            ("double?{}", PropertyType(.double, isOptional: true, collection: .map)),
            ("date[]", PropertyType(.date, collection: .list)), ("uuid<>", PropertyType(.uuid, collection: .set)),
            ("Dog?", PropertyType(.link("Dog"), isOptional: true)), ("Dog", PropertyType(.link("Dog"))),
            ("Ångström?", PropertyType(.link("Ångström"), isOptional: true)),
            ("Old dog 2?", PropertyType(.link("Old dog 2"), isOptional: true)),
            ("Old dog[]", PropertyType(.link("Old dog"), collection: .list)),
            ("linkingObjects(Old dog.owner)", PropertyType(.linkingObjects(fromClass: "Old dog", property: "owner"))),
            ("linkingObjects(Person.dogs)", PropertyType(.linkingObjects(fromClass: "Person", property: "dogs"))),
            ("objectId", PropertyType(.objectId)), ("decimal128", PropertyType(.decimal128)),
            ("mixed", PropertyType(.mixed)), ("data?", PropertyType(.data, isOptional: true)),
            ("float", PropertyType(.float)), ("bool", PropertyType(.bool)), ("Int", PropertyType(.link("Int"))),
        ])
    func textForms(_ text: String, _ type: PropertyType) {
        #expect(PropertyType(text: text) == type)
        #expect(type.description == text)
    }

    @Test(
        "text that is not a type is refused",
        arguments: [
            "", "?", "[]", "int??", "int[][]", "int[]?", "1Dog", "a  b", "a []", "Dog-Cat", "linkingObjects(Person)",
            "linkingObjects(.dogs)", "linkingObjects(Person.)", "linkingObjects(a.b.c)", "linkingObjects(Person.dogs)?",
            "linkingObjects(Person.dogs)[]", "linkingObjects(Person.dogs", " int", "int ", "$key",
        ])
    func refused(_ text: String) {
        #expect(PropertyType(text: text) == nil)
    }

    @Test("a type accepts values of its own kind, and null only when optional")
    func acceptance() {
        #expect(PropertyType(.int).accepts(.int(1)))
        #expect(!PropertyType(.int).accepts(.double(1)))
        #expect(!PropertyType(.int).accepts(.null))
        #expect(PropertyType(.int, isOptional: true).accepts(.null))
        #expect(!PropertyType(.float).accepts(.double(1)))
        #expect(PropertyType(.link("Dog"), isOptional: true).accepts(.link(ObjectKey(1))))
        #expect(!PropertyType(.data).accepts(.string("")))
    }

    @Test("a new object's value is the default, otherwise null when optional, otherwise zero")
    func initialValues() {
        #expect(PropertySchema("a", PropertyType(.int), defaultValue: .int(4)).initialValue == .int(4))
        #expect(PropertySchema("a", PropertyType(.int, isOptional: true)).initialValue == .null)
        #expect(PropertySchema("a", PropertyType(.string)).initialValue == .string(""))
        #expect(PropertySchema("a", PropertyType(.date)).initialValue == .date(.epoch))
        #expect(PropertySchema("a", PropertyType(.uuid)).initialValue == .uuid(UUIDValue(high: 0, low: 0)))
        for base in [BaseType.bool, .int, .float, .double, .string, .date, .objectId, .uuid] {
            #expect(PropertyType(base).accepts(PropertyType(base).zeroValue), "\(base)")
        }
    }
}
