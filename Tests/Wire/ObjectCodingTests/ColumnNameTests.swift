import ObjectCoding
import ObjectModel
import QueryLanguage
import TestBasics
import Testing

@Suite("Names of columns")
struct ColumnNameTests {
    @Test(
        "a name that is plain stays as it is",
        arguments: ["a", "A1", "_x", "größe", "a-b", "sort", "limit", "in_", "selfish", "名", "first_name"])
    func plain(name: String) {
        #expect(ColumnName.isPlain(name))
        #expect(ColumnName.properties(for: [name]) == [name])
    }

    @Test(
        "another becomes one",
        arguments: [
            ("Nb. of items", "Nb_of_items"), ("Price (EUR)", "Price_EUR"), ("2020", "_2020"), ("a/b", "a_b"),
            (" a ", "a"), ("%", "column"), ("self", "self_"), ("SELF", "SELF_"), ("and", "and_"), ("Null", "Null_"),
            ("nan", "nan_"), ("-x", "_-x"), ("a\u{A0}b", "a_b"), ("a__b c", "a__b_c"), ("$key", "key"), ("a.b", "a_b"),
            ("true", "true_"), ("yes", "yes_"), ("O5", "O5_"),
        ])
    func made(column: String, name: String) {
        #expect(!ColumnName.isPlain(column))
        #expect(ColumnName.properties(for: [column]) == [name])
        #expect(ColumnName.isPlain(name))
    }

    @Test("whatever the columns of a file are, the properties are plain and different, and each column finds its own")
    func random() throws {
        var random = SeededRandom.ofTest()
        let letters = Array("abAB1 _-./(%$€é\"'\\,;").map { String($0) } + ["and", "self", "IN", "2", " of "]
        for _ in 0..<300 {
            let columns = Array(
                Set(
                    (0..<(1 + random.below(8))).map { _ in
                        (0..<(1 + random.below(4))).map { _ in random.pick(letters) ?? "a" }.joined()
                    })
            ).sorted()
            let names = ColumnName.properties(for: columns)
            #expect(Set(names).count == names.count, "\(columns) \(names)")
            #expect(names.allSatisfy(ColumnName.isPlain), "\(columns) \(names)")
            let schema = Schema(
                version: 1,
                classes: [ClassSchema("A", properties: names.map { PropertySchema($0, PropertyType(.int)) })])
            #expect(schema.faults().isEmpty, "\(schema.faults())")
            let objectClass = try #require(schema["A"])
            for (column, name) in zip(columns, names) {
                #expect(objectClass.property(ofColumn: column)?.name == name, "\(columns) \(names)")
                _ = try QueryBinder(schema: schema).bindSort(name, class: objectClass)
            }
        }
    }
}
