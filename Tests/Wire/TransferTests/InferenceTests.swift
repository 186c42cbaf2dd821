import Foundation
import ObjectCoding
import ObjectModel
import Testing

@testable import Transfer

@Suite("Classes from files")
struct InferenceTests {
    private func infer(
        _ text: String, _ format: TransferFormat, in present: Schema = .empty,
        _ change: (inout ClassInference.Options) -> Void = { _ in }
    ) throws -> ClassProposal {
        var options = ClassInference.Options()
        change(&options)
        return try ClassInference(class: "Thing", in: present, format: format, options: options).run(source(text))
    }

    private func finding(_ column: [String], as format: TransferFormat = .csv) throws -> PropertyFinding {
        let rows = column.enumerated().map {
            format == .csv ? "\($0.offset),\($0.element)" : "{\"n\":\($0.offset),\"c\":\($0.element)}"
        }
        let proposal = try infer(
            (format == .csv ? ["n,c"] : []).joined() + (format == .csv ? "\n" : "") + rows.joined(separator: "\n"),
            format)
        return try #require(proposal.properties.first { $0.name == "c" })
    }

    @Test(
        "the type of a CSV column is the narrowest that gives every value back",
        arguments: [
            (["1", "-20", "9223372036854775807"], "int", "all 3 values are integers"),
            (["0", "1"], "int", "both values are integers; as all are 0 or 1, bool would hold them, too"),
            (["1", "2.5"], "double", "1 of 2 values has a fraction or an exponent"),
            (["1", "NaN"], "double", "1 of 2 values is NaN or infinite"),
            (["-0", "1e3"], "double", "both values are numbers with a fraction or an exponent"),
            (["0.1", "9007199254740993"], "decimal128", "1 of 2 values has more digits than a double keeps"),
            (["9223372036854775808"], "decimal128", "1 of 1 value has more digits than a double keeps"),
            (["0.12345678901234567891"], "decimal128", "1 of 1 value has more digits than a double keeps"),
            (
                ["12345678901234567890123456789012345"], "string",
                "1 of 1 value has more digits than decimal128 keeps"
            ),
            (["10115", "01234", "02345"], "string", "2 of 3 values begin with 0"),
            (["49", "+49"], "string", "1 of 2 values begins with a plus sign"),
            (["1", "n/a", "3"], "string", "1 of 3 values is a text that is not a number"),
            (["1", "\"\"", "3"], "string", "1 of 3 values is an empty text"),
            (["true", "FALSE"], "bool", "both values are true or false"),
            (["true", "1"], "string", "the values have no other type in common: integers (1), true or false (1)"),
            (
                ["2024-02-29", "2024-02-29T10:00:00Z"], "date",
                "both values are dates; dates without a time are midnight UTC"
            ),
            (["2024-02-29", "2023-02-29"], "string", "the values have no other type in common: dates (1), texts (1)"),
            (["20240229"], "int", "the only value is an integer"),
            (["123E4567-e89b-12d3-a456-426614174000"], "uuid", "the only value is a UUID"),
            (["507f1f77bcf86cd799439011", "507011770000860799439011"], "objectId", "both values are object ids"),
            (["507011770000860799439011"], "string", "the only value is a text of 24 digits"),
            (["507F1F77BCF86CD799439011"], "string", "the only value is a text"),
            (["NaN"], "string", "the only value is NaN or infinite"),
            (["\"[1,2]\"", "[]"], "int[]", "both values are arrays; of the elements, both values are integers"),
            (["[1", "[]"], "string", "the values have no other type in common: texts (1), arrays (1)"),
            (["\"{\"\"a\"\":1,\"\"b\"\":\"\"x\"\"}\""], "ThingC?", "the 1 object has 2 names in all"),
            (["1", ""], "int?", "the only value is an integer; optional, because 1 of 2 rows has no value"),
            (["", ""], "string?", "there is no value; optional, because 2 of 2 rows have no value"),
        ] as [([String], String, String)])
    func columns(values: [String], type: String, reason: String) throws {
        let finding = try finding(values)
        #expect(finding.type.description == type)
        #expect(finding.clauses == reason)
    }

    @Test(
        "the type of an NDJSON property follows JSON's own types, and strings are dates and ids if all are",
        arguments: [
            (["1", "2"], "int"), (["1", "2.0"], "double"), (["1", "\"NaN\""], "double"),
            (["1", "0.12345678901234567891"], "decimal128"), (["\"1\"", "\"2\""], "string"), (["1", "\"2\""], "mixed"),
            (["true", "false"], "bool"), (["true", "null"], "bool?"), (["null"], "mixed"),
            (["\"2024-01-01T00:00:00Z\"", "{\"$date\":\"2024-01-01T00:00:00Z\"}"], "date"),
            (["\"text\"", "{\"$date\":\"2024-01-01T00:00:00Z\"}"], "mixed"),
            (["{\"$oid\":\"507f1f77bcf86cd799439011\"}"], "objectId"),
            (["{\"$decimal\":\"1.10\"}", "1"], "decimal128"),
            (["{\"$binary\":\"AA==\"}"], "data"), (["{\"$float\":1.5}"], "float"),
            (["{\"$float\":1.5}", "1"], "mixed"),
            (["{\"$double\":\"NaN\"}", "1"], "double"), (["[]"], "mixed[]"), (["[1,null]"], "int?[]"),
            (["[[1]]"], "mixed[]"), (["[1]", "1"], "mixed"), (["[{\"a\":1}]"], "ThingC[]"),
            (["[{\"a\":1},null]"], "mixed[]"), (["{}"], "mixed{}"), (["{\"x y\":1,\"z\":2}"], "int{}"),
            (["{\"a\":1}", "{\"b\":1}", "{\"c\":1}"], "int{}"),
            (["{\"a\":1}", "{\"b\":\"x\"}", "{\"c\":1}"], "ThingC?"),
            (["{\"1\":{\"a\":1},\"2\":{\"a\":2}}"], "ThingC?{}"),
        ] as [([String], String)])
    func members(values: [String], type: String) throws {
        #expect(try finding(values, as: .ndjson).type.description == type)
    }

    @Test("the properties have names that queries can write, and the columns are named with them")
    func plainNames() throws {
        let proposal = try infer(
            "id,Nb. of items,Price (EUR),2020,a/b,a-b,a b,self,and,%,Größe\n1,1,1,1,1,1,1,1,1,1,1\n", .csv)
        let names = proposal.properties.map(\.name)
        #expect(names[..<4] == ["id", "Nb_of_items", "Price_EUR", "_2020"])
        #expect(names[4].hasPrefix("a_b_") && names[6].hasPrefix("a_b_") && names[5] == "a-b")
        #expect(names[7...] == ["self_", "and_", "column", "Größe"])
        #expect(Set(names).count == names.count)
        #expect(
            proposal.properties.map(\.column)
                == ["id", "Nb. of items", "Price (EUR)", "2020", "a/b", "a-b", "a b", "self", "and", "%", "Größe"])
        #expect(proposal.explanation.contains { $0.hasPrefix("Price_EUR (column 'Price (EUR)'): int, because") })
        let nested = try infer(
            #"{"id":1,"a b":{"c.d":1,"c d":[{"e f":2}],"z":"x"}}"#.replacing("c.d", with: "c/d"), .ndjson)
        #expect(nested.classes.flatMap(\.properties).allSatisfy { ColumnName.isPlain($0.name) })
    }

    @Test(
        "types and keys are given by the name of the column or by that of the property",
        arguments: ["Item No.", "Item_No"])
    func givenNames(name: String) throws {
        let proposal = try infer("Item No.,n\n1,2\n", .csv) {
            $0.types = [name: PropertyType(.string)]
            $0.key = .named(name)
        }
        #expect(proposal.classes.first?.primaryKey == "Item_No")
        #expect(proposal.properties.first?.type == PropertyType(.string))
    }

    @Test("values of Extended JSON have the types that they stand for")
    func extendedJSON() throws {
        let line = #"""
            {"_id":{"$oid":"5f0c2e1d9b1e8a0001a1b2c3"},"n":{"$numberLong":"7"},"i":{"$numberInt":"7"},"x":{"$numberDouble":"1.5"},\#
            "y":{"$numberDouble":"-Infinity"},"d":{"$numberDecimal":"1.10"},"t":{"$date":{"$numberLong":"1500"}},\#
            "s":{"$date":"2026-01-31T12:00:00Z"},"u":{"$binary":{"base64":"OyQRAeK7QlWMr0E2xWapYg==","subType":"04"}},\#
            "b":{"$binary":{"base64":"AAEC","subType":"00"}},"l":[{"$numberInt":"1"},{"$numberInt":"2"}]}
            """#
        let proposal = try infer(line + "\n", .ndjson)
        #expect(
            proposal.properties.map { "\($0.name):\($0.type)" } == [
                "_id:objectId", "n:int", "i:int", "x:double", "y:double", "d:decimal128", "t:date", "s:date", "u:uuid",
                "b:data", "l:int[]",
            ])
        #expect(proposal.key.property == "_id")
    }

    @Test("a reason comes with the values that decided, and their lines")
    func examples() throws {
        let finding = try finding(["10115", "01234", "02345"])
        #expect(finding.examples == [ValueExample(line: 3, text: "01234")])
        let proposal = try infer("id,zip\n1,10115\n2,01234\n", .csv)
        #expect(
            proposal.explanation == [
                "2 rows read.", "id: int, because both values are integers, such as '1' on line 2.",
                "zip: string, because 1 of 2 values begins with 0, such as '01234' on line 3.",
                "Primary key: id, because it is named like a key, and has a different value in each of the 2 rows.",
            ])
    }

    @Test("objects within objects become embedded classes with free names, and objects of many names dictionaries")
    func embedded() throws {
        let taken = Schema(
            version: 3, classes: [ClassSchema("ThingHome", properties: [PropertySchema("a", PropertyType(.int))])])
        let many = (0..<101).map { "\"k\($0)\":{\"v\":\($0)}" }.joined(separator: ",")
        let proposal = try infer(
            "{\"id\":1,\"home\":{\"city\":\"Rome\",\"at\":{\"x\":1.5}},\"all\":{\(many)}}\n{\"id\":2,\"home\":{\"city\":null}}\n",
            .ndjson, in: taken)
        #expect(proposal.classes.map(\.name) == ["Thing", "ThingHome2", "ThingHome2At", "ThingAll"])
        #expect(proposal.classes.map(\.isEmbedded) == [false, true, true, true])
        #expect(
            proposal.properties.map { "\($0.className).\($0.name) \($0.type)" } == [
                "Thing.id int", "Thing.home ThingHome2?", "Thing.all ThingAll?{}", "ThingHome2.city string?",
                "ThingHome2.at ThingHome2At?", "ThingHome2At.x double", "ThingAll.v int",
            ])
        #expect(proposal.schema(after: taken).version == 3)
        #expect(proposal.schema(after: taken).faults() == [])
    }

    @Test(
        "the primary key is named like one, or comes first, and differs in every row",
        arguments: [
            ("name,id\na,1\nb,2\n", "id"), ("_id,v\nx,1\ny,1\n", "_id"), ("v,thingID\n1,7\n1,8\n", "thingID"),
            ("year,v\n2001,1\n2002,1\n", "year"), ("iataCode,v\nJFK,1\nLGA,1\n", "iataCode"),
            ("name,v\na,1\nb,1\n", nil), ("id,v\n1,1\n1,2\n", nil), ("id,v\n1,1\n,2\n", "v"), ("id,v\n1,1\n,1\n", nil),
            ("v\n1\n", nil),
            ("id\n1\n", "id"), ("id,w\n1.5,1\n2.5,1\n", nil),
        ] as [(String, String?)])
    func keys(text: String, key: String?) throws {
        let proposal = try infer(text, .csv)
        #expect(proposal.key.property == key, "\(proposal.key.reason)")
        #expect(proposal.classes[0].primaryKey == key)
    }

    @Test("why there is no key is said")
    func noKey() throws {
        #expect(
            try infer("id,v\n1,1\n1,2\n", .csv).key.reason == "'id' repeats a value, the first time on line 3: '1'")
        #expect(try infer("id,v\n1,1\n,1\n", .csv).key.reason == "'id' has no value in 1 of 2 rows")
        let candidates = try infer("name,v\na,1\nb,1\n", .csv).key
        #expect(candidates.candidates == ["name"])
        #expect(candidates.reason == "no property is named like one; name has a different value in every row")
    }

    @Test("UUIDs in two spellings are one value")
    func uuidKeys() throws {
        let id = "123e4567-e89b-12d3-a456-426614174000"
        let proposal = try infer("id\n\(id)\n\(id.uppercased())\n", .csv)
        #expect(proposal.key.property == nil)
        let strings = try infer("{\"id\":\"\(id)\"}\n{\"id\":\"\(id.uppercased())\"}\n", .ndjson)
        #expect(strings.key.property == nil)
    }

    @Test("types and keys that are given are used, and the values that do not fit are counted")
    func given() throws {
        let proposal = try infer("id,zip,n\n1,10115,x\n2,,7\n", .csv) {
            $0.types = ["zip": PropertyType(.string), "n": PropertyType(.int)]
            $0.key = .none
        }
        #expect(proposal.classes[0].properties.map { $0.type.description } == ["int", "string?", "int"])
        #expect(proposal.classes[0].primaryKey == nil)
        #expect(proposal.properties.map(\.misfits) == [0, 0, 1])
        #expect(proposal.properties[2].firstMisfit == ValueExample(line: 2, text: "x"))
        #expect(proposal.explanation.contains("  1 value of n will not fit, the first on line 2: 'x'."))
        let json = try infer("{\"tags\":[\"a\"]}\n{\"tags\":\"b\"}\n", .ndjson) {
            $0.types = ["tags": PropertyType(.string, collection: .list)]
        }
        #expect(json.properties[0].misfits == 1)
    }

    private static let refusals: [(String, TransferFormat, String)] = [
        ("", .csv, "The file is empty; its first line must name the properties."),
        ("a,b\n", .csv, "The file has no line behind the one that names the properties, so no types can be inferred."),
        ("", .ndjson, "The file is empty, so no types can be inferred."),
        (",,\n1,2,3\n", .csv, "The first line must name the properties. All of its fields are blank."),
        ("a,a\n", .csv, "The first line must name the properties. Column 'a' appears twice."),
        (
            "$a\n1\n", .csv,
            "The first line must name the properties. The name '$a' begins with '$', as no property's may."
        ),
        (
            "[1]\n", .ndjson,
            "No line of the file can be read as NDJSON. Line 1: Each line must be a JSON object; this is an array."
        ),
        (
            "a,b\n1\n", .csv,
            "No line of the file can be read as CSV. Line 2: There are 1 fields where the first line has 2."
        ),
    ]

    @Test("a file from which no class follows is refused with the line and the reason", arguments: refusals.indices)
    func refused(index: Int) throws {
        let (text, format, message) = Self.refusals[index]
        #expect(throws: TransferError(message)) { try infer(text, format) }
    }

    @Test("wrong names are refused")
    func wrongNames() throws {
        func message(_ name: String = "Thing", _ change: (inout ClassInference.Options) -> Void = { _ in }) -> String {
            do {
                var options = ClassInference.Options()
                change(&options)
                let present = Schema(
                    version: 1, classes: [ClassSchema("Dog", properties: [PropertySchema("a", PropertyType(.int))])])
                _ = try ClassInference(class: name, in: present, format: .csv, options: options)
                    .run(source("id,w\n1,1.5\n1,2\n"))
                return ""
            } catch {
                return (error as? TransferError)?.message ?? "\(error)"
            }
        }
        #expect(message("Dog") == "There is a class 'Dog' already. Import the file into it, or choose another name.")
        #expect(message("int").contains("it is the name of a type"))
        #expect(message("1st").contains("is not a valid class name"))
        #expect(
            message { $0.types = ["ww": PropertyType(.int)] }
                == "The file has no property 'ww' to give a type. Did you mean 'w'?")
        #expect(
            message { $0.types = ["w": PropertyType(.link("Dgo"), isOptional: true)] }
                == "'Dgo' is neither a type nor a class of the database. Did you mean 'Dog'?")
        #expect(message { $0.key = .named("x") }.contains("The file has no property 'x' for the primary key."))
        #expect(message { $0.key = .named("w") }.contains("'w' is of type double, which no primary key can have"))
        #expect(
            message { $0.key = .named("id") }
                == "'id' cannot be the primary key: 1 of 2 rows repeat a value, the first on line 3: '1'.")
    }

    @Test("lines that cannot be read are counted with their numbers, up to a limit")
    func faults() throws {
        let text = "{\"a\":1}\nnonsense\n{\"a\":{\"b.c\":1}}\n{\"a\":2,\"$b\":1}\n{\"a\":3}\n"
        let proposal = try infer(text, .ndjson)
        #expect(proposal.rows == 2)
        #expect(proposal.refused == 3)
        #expect(proposal.faults.map(\.line) == [2, 3, 4])
        #expect(proposal.classes[0].properties.map { $0.type.description } == ["int"])
        #expect(throws: ObjectImporter.TooManyFaults.self) { try infer(text, .ndjson) { $0.faultLimit = 2 } }
    }

    @Test("the cut line at the end of a file's beginning has no influence")
    func partial() throws {
        let csv = try infer("a,b\n1,2\n3,\"x", .csv) { $0.isPartial = true }
        #expect(csv.rows == 1)
        #expect(csv.refused == 0)
        #expect(!csv.isWhole)
        #expect(try infer("a\n1\n2", .csv) { $0.isPartial = true }.rows == 1)
        #expect(try infer("{\"a\":1}\n{\"a\":", .ndjson) { $0.isPartial = true }.rows == 1)
        #expect(try infer("{\"a\":1}\n{\"a\":2}", .ndjson).rows == 2)
    }

    @Test("the names of escaped formulas are those before, and escaped texts are texts")
    func formulas() throws {
        let proposal = try infer("'=a,b\n'-5,-5\n", .csv) { $0.escapesFormulas = true }
        #expect(proposal.properties.map(\.column) == ["=a", "b"])
        #expect(proposal.classes[0].properties.map { "\($0.name) \($0.type)" } == ["a string", "b int"])
    }

    @Test("a given type is read as it is written")
    func givenTypes() throws {
        #expect(try GivenType("zip=string") == GivenType("zip=string"))
        #expect(try GivenType("a=b=int?[]").property == "a=b")
        #expect(try GivenType("a=b=int?[]").type == PropertyType(.int, isOptional: true, collection: .list))
        for text in ["zip", "=int", "zip=", "zip=strin<g", "zip=linkingObjects(Dog.owner)"] {
            #expect(throws: TransferError.self, "\(text)") { try GivenType(text) }
        }
    }

    @Test("too many names are refused before they fill the memory")
    func manyNames() throws {
        let wide = "{" + (0..<1001).map { "\"p\($0)\":1" }.joined(separator: ",") + "}\n"
        #expect(throws: TransferError.self) { try infer(wide, .ndjson) }
        let deep = (0..<150).map { outer in
            "{\"a\":1,\"b\":[" + (0..<90).map { "{\"k\(outer)_\($0)\":{\"x\":1}}" }.joined(separator: ",") + "]}"
        }.joined(separator: "\n")
        #expect(try infer(deep, .ndjson).properties[1].type.description == "mixed[]")
    }
}
