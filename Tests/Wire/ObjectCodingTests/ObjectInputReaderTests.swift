import JSONCoding
import ObjectCoding
import ObjectModel
import QuerySyntax
import QueryLanguage
import StoreContract
import Testing

@Suite("Objects from JSON")
struct ObjectInputReaderTests {
    private let schema = Schema(
        version: 1,
        classes: [
            ClassSchema(
                "Person", primaryKey: "name",
                properties: [
                    PropertySchema("name", PropertyType(.string)),
                    PropertySchema("dogs", PropertyType(.link("Dog"), collection: .list)),
                ]),
            ClassSchema(
                "Dog",
                properties: [
                    PropertySchema("age", PropertyType(.int)), PropertySchema("any", PropertyType(.mixed)),
                    PropertySchema("owner", PropertyType(.link("Person"), isOptional: true)),
                ]),
        ])

    private func read(_ text: String, _ name: String) throws -> ObjectInput {
        try ObjectInputReader(schema: schema).object(try JSONValue.parse(text), try #require(schema[name]))
    }

    private func problem(_ text: String, _ name: String) throws -> Problem? {
        do {
            _ = try read(text, name)
            return nil
        } catch let problem as Problem {
            return problem
        }
    }

    @Test("values are complete, links wait for a store, wherever they are in a value")
    func drafts() throws {
        let input = try read(
            #"{"age":3,"owner":"ada","any":{"a":[1,{"$link":{"class":"Person","key":"bob"}}]}}"#, "Dog")
        #expect(input.values.map(\.value) == [.int(3)])
        #expect(input.drafts.count == 2)
        guard case .link(.link(let owner)) = input.drafts[0].content,
            case .map(let entries) = input.drafts[1].content, case .list(let elements)? = entries.first?.value,
            case .value(.int(1))? = elements.first, case .link(.reference(let bob))? = elements.last
        else {
            Issue.record("\(input.drafts)")
            return
        }
        #expect(owner.path == "owner" && bob.path == "any.a[1]")
        guard case .primaryKey(.string("bob")) = bob.reference else {
            Issue.record("\(bob)")
            return
        }
    }

    @Test("an object in place of a link is found where it is, however deep")
    func newObjects() throws {
        let input = try read(#"{"name":"ada","dogs":[{"age":1},{"age":2,"owner":{"name":"bob"}}]}"#, "Person")
        #expect(input.drafts.map(\.content.firstNewObject) == ["dogs[0]"])
        #expect(try read(#"{"owner":"ada"}"#, "Dog").drafts.map(\.content.firstNewObject) == [nil])
    }

    @Test("a fault has a code, the property and the place, and no status")
    func faults() throws {
        let value = try #require(try problem(#"{"name":"ada","dogs":[{"age":"x"}]}"#, "Person"))
        #expect(value.code == StoreError.Code.invalidValue.rawValue)
        #expect(value.property == "dogs.age" && value.path == "$.dogs[0].age")
        let name = try #require(try problem(#"{"agee":1}"#, "Dog"))
        #expect(name.code == StoreError.Code.unknownProperty.rawValue && name.hint == "age")
        let key = try #require(try problem(#"{"owner":{}}"#, "Dog"))
        #expect(key.code == StoreError.Code.missingValue.rawValue && key.property == "owner.name")
    }

    @Test("a name in a parameter has another code than one in a body")
    func parameters() throws {
        let dog = try #require(schema["Dog"])
        #expect {
            try RowPlan(dog, of: schema, fields: "agee", expand: nil, style: .plain)
        } throws: { error in
            (error as? Problem)?.code == QueryError.Code.unknownProperty.rawValue
                && (error as? Problem)?.parameter == "fields"
        }
    }
}
