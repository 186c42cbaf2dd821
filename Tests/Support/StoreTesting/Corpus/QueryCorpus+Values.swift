extension QueryCorpus {
    /// Types, null, numbers, texts, data and mixed values.
    static let values: [Row] =
        rows(
            "types", "Person",
            [
                ("alive > false", [0, 2, 4]), ("alive != true", [1, 3]), ("age == 42.0", [0]), ("age == 3.5", []),
                ("age > 41.5", [0]), ("age == '42'", [0]), ("worth == '10'", [1]), ("3 < age", [0, 1, 2, 3, 4]),
                ("20 > age", [1, 2]), ("age BETWEEN {18, 29}", [2, 3]), ("age BETWEEN {29, 18}", []),
                ("height BETWEEN {1.5, 1.7}", [0, 4]), ("born BETWEEN {T0:0, 1990-01-01@0:0:0}", [1, 4]),
                ("name BETWEEN {'A', 'C'}", [0, 1]), ("worth BETWEEN {0.1, 10}", [0, 1, 4]), ("height > weight", [2]),
                ("age > dog.age", [0, 1, 4]), ("name == dog.name", [2]), ("nums.@count == marks.@count", [1, 2, 3]),
                ("age >= 18 && age < 30 || alive == false", [1, 2, 3]),
            ])
        + rows(
            "types arithmetic", "Person",
            [
                ("age * 2 + 1 == 85", [0]), ("age / 2 == 21", [0]), ("age / 2 == 8", [1]), ("age / 0 == 5", []),
                ("height / 0.0 == inf", [0, 2, 4]), ("height + 1 > 2.6", [0, 2]), ("height * 2 == 4", [2]),
                ("worth * 10 == 1", [0, 4]), ("nums * 2 > 9", [1]), ("nums + 1 == 0", [4]),
                ("ALL nums * 2 > 1", [0, 1, 2, 3]), ("age + dog.age == 45", [0]), ("age + dog.age == null", [2, 3]),
                ("(age + 8) / 5 == 10", [0]), ("age - (10 - 2) == 34", [0]), ("-1 * age == -42", [0]),
                ("1 + 1 == age / 21", [0]), ("nums.@sum * 2 == 12", [0, 3]), ("tags.@count - 1 == 1", [0, 3]),
                ("age - 12 > dog.age * 2", [0]),
            ])
        + rows(
            "types numbers", "Amount",
            [
                ("i == 9007199254740993", [1]), ("d == 9007199254740993", []), ("d == 9007199254740992", [1]),
                ("i == d", [2]), ("i == m", [1, 2, 3]), ("i < d", [0, 3, 6]), ("f == 0.1", [7]), ("d == 0.1", [7]),
                ("m == 0.1", [7]), ("f == d", [0, 2, 4, 6]), ("f == 0", [6]), ("d == 0", [6]), ("m == 0", [6]),
                ("d != d", [5]), ("m != m", [5]), ("d < inf", [0, 1, 3, 4, 6, 7]), ("d <= inf", [0, 1, 3, 4, 6, 7]),
                ("f == inf", [3]), ("m == -inf", [4]), ("i > 9.3e18", []), ("i < 9.3e18", [0, 1, 3, 4, 5, 6, 7]),
                ("i >= 9223372036854775807", [3]), ("i == -9223372036854775808", [4]), ("i IN {1, 2.0, 0.5}", [0, 7]),
                ("i / 2 == -3", [6]), ("i + 1 == 9223372036854775808", [3]), ("i + 1 > 9223372036854775807", [3]),
                ("i - 1 < -9223372036854775808", [4]), ("m < 1.5", [4, 6, 7]),
                ("m >= 1.5", [0, 1, 3]), ("i == null", [2]), ("d != null", [0, 1, 3, 4, 5, 6, 7]),
                ("NOT d < 0", [0, 1, 2, 3, 5, 6, 7]), ("i <= 0", [4, 5, 6]), ("i BETWEEN {-7, 2}", [0, 5, 6, 7]),
                ("d IN {0, 1.5, null}", [0, 2, 6]),
            ])
        + rows(
            "values null", "Person",
            [
                ("name != 'Bo'", [0, 2, 3, 4]), ("NOT name == 'Bo'", [0, 2, 3, 4]), ("height < 5", [0, 2, 4]),
                ("NOT height < 5", [1, 3]), ("NOT (height < 5)", [1, 3]), ("height != 1.7", [1, 2, 3, 4]),
                ("height >= null", [1]), ("height <= null", [1]), ("height > null", []), ("height == null", [1]),
                ("dog.age != null", [0, 1, 4]), ("dog.age == null", [2, 3]), ("name IN {null}", [2]),
                ("name IN {'Bo', null}", [1, 2]), ("age == null", []), ("age != null", [0, 1, 2, 3, 4]),
                ("name CONTAINS null", [0, 1, 2, 3, 4]), ("name BEGINSWITH null", [0, 1, 2, 3, 4]),
                ("name ENDSWITH null", [0, 1, 2, 3, 4]), ("name CONTAINS ''", [0, 1, 3, 4]),
                ("name BEGINSWITH ''", [0, 1, 3, 4]), ("name LIKE null", [2]), ("null CONTAINS name", []),
                ("'Bobby' CONTAINS name AND name != null", [1]), ("null == name", [2]), ("dog.age <= null", [2, 3]),
            ])
        + rows(
            "values strings", "Person",
            [
                ("name < 'a'", [0, 1, 4]), ("name > 'Z'", [3, 4]), ("name >= 'Zoë'", [3, 4]), ("name == 'anna'", [3]),
                ("name ==[c] 'ANNA'", [0, 3]), ("name !=[c] 'ANNA'", [1, 2, 4]), ("name IN[c] {'ANNA'}", [0, 3]),
                ("name BEGINSWITH[c] 'a'", [0, 3]), ("name ENDSWITH 'ë'", [4]), ("name ENDSWITH[c] 'Ë'", [4]),
                ("name LIKE 'A*'", [0]), ("name LIKE '?o*'", [1, 4]), ("name LIKE '??'", [1]), ("name LIKE 'Zo?'", [4]),
                ("name LIKE[c] '*ë'", [4]), ("age > 20 AND name BEGINSWITH[c] 'a'", [0, 3]),
                ("tags ==[c] 'RED'", [0, 1, 3, 4]), ("dog.name CONTAINS[c] 'E'", [0, 4]),
            ])
        + rows(
            "values strings", "Text",
            [
                ("s == 'abc'", [0]), ("s ==[c] 'abc'", [0, 1]), ("s == 'é'", [4]), ("s ==[c] 'é'", [4, 5]),
                ("s ==[d] 'e'", [4, 16]), ("s ==[cd] 'E'", [4, 5, 16]), ("s ==[d] 'école'", [7, 8]),
                ("s ==[cd] 'ecole'", [6, 7, 8]), ("s ==[c] 'STRASSE'", []), ("s ==[c] 'STRAßE'", [9]),
                ("s ==[c] 'σίγμασ'", [10, 11]), ("s BEGINSWITH[c] 'Σ'", [10, 11]), ("s CONTAINS[d] 'co'", [7, 8]),
                ("s CONTAINS[cd] 'CO'", [6, 7, 8]),
                // A character is a Unicode scalar.
                ("s LIKE '?'", [4, 5]), ("s LIKE '??'", [12, 16]), ("s LIKE 'a*c'", [0, 13, 14]),
                ("s LIKE[c] 'A?C'", [0, 1, 13, 14]), ("s LIKE '*'", [0, 1, 2] + Array(4...16)), ("s LIKE ''", [2]),
                ("s < 'a'", [1, 2, 9]), ("s > 'z'", [4, 5, 6, 7, 10, 11, 12]),
                ("s.@size == 3", [0, 1, 13, 14, 15, 16]),
                ("s.@count == 6", [6, 7, 12]), (#"s == 'a\nb'"#, [15]), ("s ENDSWITH 'C'", [1]),
                ("s ENDSWITH[c] 'c'", [0, 1, 13, 14]), ("s CONTAINS '*'", [13]),
                ("s IN[c] {'ABC', 'École'}", [0, 1, 6, 7]), ("s !=[c] 'abc'", Array(2...16)),
                ("NOT s CONTAINS 'a'", [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 16]), ("s == ''", [2]),
                ("s != ''", [0, 1] + Array(3...16)), ("s BEGINSWITH 'a'", [0, 13, 14, 15]),
                ("s ENDSWITH[d] 'cole'", [7, 8]), ("s !=[cd] 'ECOLE'", Array(0...5) + Array(9...16)),
            ])
        + rows(
            "values data", "Person",
            [
                ("photo BEGINSWITH bin('ab')", [0, 3]), ("photo ENDSWITH bin('d')", [3]),
                ("photo CONTAINS bin('bc')", [0, 3]), ("photo LIKE bin('a*')", [0, 3]),
                ("photo < bin('abd')", [0, 2, 3]),
                ("photo == null", [1]), ("photo CONTAINS bin('')", [0, 2, 3, 4]), ("photo > bin('abc')", [3, 4]),
                ("photo IN {bin('abc'), null}", [0, 1]),
            ])
        + rows(
            "mixed", "Thing",
            [
                ("any == 3", [2, 3, 5]), ("any == 3.0", [2, 3, 5]), ("any == 3.5", [4]), ("any > 3", [4]),
                ("any < 5", [2, 3, 4, 5]), ("any >= 3", [2, 3, 4, 5]), ("any == 'x'", [6]), ("any == bin('x')", [7]),
                ("any == true", [1]), ("any == 1", []), ("any == null", [0]), ("any != null", Array(1...15)),
                ("any != 3", [0, 1, 4] + Array(6...15)), ("any BEGINSWITH 'x'", [6]),
                ("any BEGINSWITH[c] 'x'", [6, 14]), ("any BEGINSWITH bin('x')", [7]), ("any == T0:0", [8]),
                ("any == oid(507f1f77bcf86cd799439011)", [9]),
                ("any == uuid(3b241101-e2bb-4255-8caf-4136c566a962)", [10]), ("any == obj('Dog', 'rex')", [11]),
                ("any IN {3, 'x'}", [2, 3, 5, 6]), ("any > 'a'", [6]), ("any LIKE 'x*'", [6]),
                ("any CONTAINS 'y'", [14]), ("any ENDSWITH[c] 'X'", [6]), ("any == many[0]", [0]),
                ("any BETWEEN {3, 3.2}", [2, 3, 5]),
            ])
        + rows(
            "mixed types", "Thing",
            [
                ("any.@type == 'string'", [6, 14]), ("any.@type == 'numeric'", [2, 3, 4, 5]),
                ("any.@type == 'int'", [2]), ("any.@type == 'FLOAT'", [3]), ("any.@type == 'double'", [4]),
                ("any.@type == 'decimal128'", [5]), ("any.@type == 'bool'", [1]), ("any.@type == 'null'", [0]),
                ("any.@type == 'binary'", [7]), ("any.@type == 'date'", [8]), ("any.@type == 'timestamp'", [8]),
                ("any.@type == 'objectid'", [9]), ("any.@type == 'guid'", [10]), ("any.@type == 'link'", [11]),
                ("any.@type == 'object'", [11, 13]), ("any.@type == 'dictionary'", [13]),
                ("any.@type == 'list'", [12, 15]), ("any.@type == 'array'", [12, 15]),
                ("any.@type == 'collection'", [12, 13, 15]), ("any.@type != 'numeric'", [0, 1] + Array(6...15)),
                ("any.@type IN {'string', 'null'}", [0, 6, 14]), ("any[0].@type == 'string'", [12]),
                ("any[*].@type == 'int'", [12]), ("any.k.@type == 'null'", [13]), ("ANY many.@type == 'null'", [2]),
                ("ANY many.@type == 'numeric'", [2, 4]),
            ])
}
