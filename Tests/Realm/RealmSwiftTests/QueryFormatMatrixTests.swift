import Foundation
import RealmSwift
import Testing

/// A closure's condition finds what the same predicate format finds: operators on texts, sums and means, keys and values
/// of maps, for every form of a property.
@Suite("Queries as predicate formats")
struct QueryFormatMatrixTests {
    private func same(
        _ rows: Results<MatrixRow>, _ condition: (Query<MatrixRow>) -> Query<Bool>, _ format: String, _ value: Any?
    ) -> Int {
        let found = rows.where(condition).map(\.id)
        let wanted = rows.filter(format, value.map { $0 } ?? NSNull()).map(\.id)
        #expect(Array(found) == Array(wanted), "\(format) \(value ?? "nil")")
        return found.count
    }

    // MARK: Texts

    private static let texts = ["", "a", "B", "ab", "Ä", "aB"]
    private static let options: [(StringOptions, String)] = [
        ([], ""), (.caseInsensitive, "[c]"), (.diacriticInsensitive, "[d]"),
        ([.caseInsensitive, .diacriticInsensitive], "[cd]"),
    ]

    /// All operators on texts of one property.
    private func checkTexts<T: _HasPersistedType>(
        _ rows: Results<MatrixRow>, _ name: String, _ texts: [T], _ property: (Query<MatrixRow>) -> Query<T>
    ) -> Int where T.PersistedType: _QueryBinary {
        var found = 0
        for text in texts {
            for (option, letters) in Self.options {
                found += same(rows, { property($0).equals(text, options: option) }, "\(name) ==\(letters) %@", text)
                found += same(rows, { property($0).notEquals(text, options: option) }, "\(name) !=\(letters) %@", text)
                found += same(
                    rows, { property($0).contains(text, options: option) }, "\(name) CONTAINS\(letters) %@", text)
                found += same(
                    rows, { property($0).starts(with: text, options: option) }, "\(name) BEGINSWITH\(letters) %@", text)
                found += same(
                    rows, { property($0).ends(with: text, options: option) }, "\(name) ENDSWITH\(letters) %@", text)
            }
            found += same(rows, { property($0).like(text) }, "\(name) LIKE %@", text)
            found += same(rows, { property($0).like(text, caseInsensitive: true) }, "\(name) LIKE[c] %@", text)
        }
        return found
    }

    private static func filled() throws -> Results<MatrixRow> {
        let realm = try ParityRealm.open([MatrixRow.self])
        try realm.write {
            var rows: [MatrixRow] = []
            for id in 0..<13 {
                let row = realm.create(MatrixRow.self, value: ["id": id])
                QueryMatrixTests.string.fill(row)
                QueryMatrixTests.color.fill(row)
                QueryMatrixTests.code.fill(row)
                QueryMatrixTests.int8.fill(row)
                QueryMatrixTests.double.fill(row)
                QueryMatrixTests.decimal.fill(row)
                row.next = id % 5 == 0 ? nil : rows.last
                row.earlier.append(objectsIn: rows.suffix(id % 3))
                rows.append(row)
            }
        }
        return realm.objects(MatrixRow.self).sorted(byKeyPath: "id")
    }

    @Test(
        "Query.{contains(_:options:),starts(with:options:),ends(with:options:),like(_:caseInsensitive:)} Query.{equals(_:options:),notEquals(_:options:)} in every form"
    )
    func strings() throws {
        let rows = try Self.filled()
        let optionals: [String?] = Self.texts
        #expect(checkTexts(rows, "string", Self.texts) { $0.string } > 0)
        #expect(checkTexts(rows, "optString", optionals) { $0.optString } > 0)
        #expect(checkTexts(rows, "next.string", Self.texts) { $0.next.string } > 0)
        #expect(checkTexts(rows, "next.optString", optionals) { $0.next.optString } > 0)
        #expect(checkTexts(rows, "ANY earlier.string", Self.texts) { $0.earlier.string } > 0)
        #expect(checkTexts(rows, "ANY mapString.@allKeys", Self.texts) { $0.mapString.keys } > 0)
        #expect(checkTexts(rows, "ANY mapString.@allValues", Self.texts) { $0.mapString.values } > 0)
        #expect(checkTexts(rows, "ANY optMapString.@allValues", optionals) { $0.optMapString.values } > 0)
        #expect(checkTexts(rows, "code", Self.texts) { $0.code.persistableValue } > 0)
        #expect(checkTexts(rows, "optCode", optionals) { $0.optCode.persistableValue } > 0)
        #expect(checkTexts(rows, "color", Self.texts) { $0.color.rawValue } > 0)
        #expect(checkTexts(rows, "optColor", optionals) { $0.optColor.rawValue } > 0)
    }

    @Test("Query.{sum,avg,min,max} of lists, sets, maps and properties of linked objects")
    func aggregates() throws {
        let rows = try Self.filled()
        var found = 0
        for number in [-3, 0, 1, 4] {
            let (narrow, double, decimal) = (Int8(number), Double(number), Decimal128(integerLiteral: Int64(number)))
            found += same(rows, { $0.listInt8.sum > narrow }, "listInt8.@sum > %@", number)
            found += same(rows, { $0.listInt8.avg <= narrow }, "listInt8.@avg <= %@", number)
            found += same(rows, { $0.optListInt8.min == narrow }, "optListInt8.@min == %@", number)
            found += same(rows, { $0.optListInt8.sum >= narrow }, "optListInt8.@sum >= %@", number)
            found += same(rows, { $0.setInt8.max < narrow }, "setInt8.@max < %@", number)
            found += same(rows, { $0.setInt8.sum != narrow }, "setInt8.@sum != %@", number)
            found += same(rows, { $0.mapInt8.avg > narrow }, "mapInt8.@avg > %@", number)
            found += same(rows, { $0.optMapInt8.min > narrow }, "optMapInt8.@min > %@", number)
            found += same(rows, { $0.earlier.int8.sum > narrow }, "earlier.@sum.int8 > %@", number)
            found += same(rows, { $0.earlier.optInt8.max >= narrow }, "earlier.@max.optInt8 >= %@", number)
            found += same(rows, { $0.next.listInt8.sum > narrow }, "next.listInt8.@sum > %@", number)
            found += same(rows, { $0.listDouble.avg > double }, "listDouble.@avg > %@", double)
            found += same(rows, { $0.setDouble.min <= double }, "setDouble.@min <= %@", double)
            found += same(rows, { $0.earlier.double.avg < double }, "earlier.@avg.double < %@", double)
            found += same(rows, { $0.listDecimal.sum >= decimal }, "listDecimal.@sum >= %@", decimal)
            found += same(rows, { $0.mapDecimal.avg < decimal }, "mapDecimal.@avg < %@", decimal)
            found += same(rows, { $0.earlier.decimal.sum == decimal }, "earlier.@sum.decimal == %@", decimal)
        }
        #expect(found > 0)
    }

    @Test("Query.count of subqueries, negations and compounds of every form")
    func compounds() throws {
        let rows = try Self.filled()
        var found = 0
        for text in Self.texts {
            found += same(
                rows, { ($0.earlier.string == text && $0.earlier.id > 2).count > 0 },
                "SUBQUERY(earlier, $x, $x.string == %@ && $x.id > 2).@count > 0", text)
            found += same(rows, { !($0.string == text) && $0.next != nil }, "NOT string == %@ AND next != nil", text)
            found += same(rows, { $0.mapString["k0"] == text || $0.id < 2 }, "mapString['k0'] == %@ OR id < 2", text)
            found += same(rows, { $0.optMapString["k1"] != text }, "optMapString['k1'] != %@", text)
            found += same(rows, { $0.listString.contains(text) }, "%@ IN listString", text)
            found += same(rows, { $0.setString.containsAny(in: [text, "x"]) }, "ANY setString IN %@", [text, "x"])
        }
        #expect(found > 0)
    }

    // MARK: Placeholders

    /// A format with placeholders, and the same without.
    private static let placeholders: [(format: String, arguments: @Sendable () -> [Any], plain: String)] = [
        ("%K.%K == %@", { ["owner", "name", "Ann"] }, "owner.name == 'Ann'"),
        ("%K.name == %@ AND %K > %d", { ["owner", "Ann", "age", 1] }, "owner.name == 'Ann' AND age > 1"),
        ("owner.%K == %@", { ["name", "Bob"] }, "owner.name == 'Bob'"),
        ("ANY %K.%K.%K > %@", { ["owner", "dogs", "age", 1] }, "ANY owner.dogs.age > 1"),
        ("%K.%K.@count > %i", { ["owner", "dogs", 3] }, "owner.dogs.@count > 3"),
        ("%K.@count > 1", { ["scores"] }, "scores.@count > 1"),
        ("%K.%K.@avg.%K > %f", { ["owner", "dogs", "age", 0.5] }, "owner.dogs.@avg.age > 0.5"),
        ("%K.@sum > %@", { ["scores", 2] }, "scores.@sum > 2"),
        (
            "SUBQUERY(%K, $x, $x.%K == %@).@count > 0", { ["owner.dogs", "name", "Rex"] },
            "SUBQUERY(owner.dogs, $x, $x.name == 'Rex').@count > 0"
        ),
        ("name == '%K.%K' OR %K.%K == %@", { ["owner", "name", "Ann"] }, "owner.name == 'Ann'"),
        ("SELF.owner.name == %@ AND self.age > 1", { ["Ann"] }, "owner.name == 'Ann' AND age > 1"),
        ("ANY SELF.%K.dogs.age > 1", { ["owner"] }, "ANY owner.dogs.age > 1"),
        ("age == TRUE OR age == %@ OR age IN {2, 3}", { [false] }, "age IN {0, 1, 2, 3}"),
        ("age == %hd OR age == %qi OR age == %lX", { [1, 2, 3] }, "age IN {1, 2, 3}"),
        (
            "weight > %g AND weight < %lf AND rate >= %e", { [0.5, 4.0, 0.25] },
            "weight > 0.5 AND weight < 4 AND rate >= 0.25"
        ),
    ]

    @Test(
        "RealmCollection.filter(_:_:) %K is a whole path or a part of one, a placeholder of any number takes it, and TRUE is 1",
        arguments: placeholders.indices)
    func placeholder(_ index: Int) throws {
        let dogs = try QueryWorld.filled().objects(QueryDog.self)
        let (format, arguments, plain) = Self.placeholders[index]
        let found = dogs.filter(NSPredicate(format: format, argumentArray: arguments())).map(\.id)
        #expect(Array(found) == Array(dogs.filter(plain).map(\.id)) && !found.isEmpty, "\(format)")
    }
}
