extension QueryCorpus {
    /// Words and signs, precedence, constants.
    static let basics: [Row] =
        rows(
            "words", "Person",
            [
                (#"name == "Anna""#, [0]), ("name == 'Anna' && age == 42", [0]), ("age = 42", [0]),
                ("age <> 42", [1, 2, 3, 4]), ("age =< 18", [1, 2]), ("age => 30", [0, 4]),
                ("! age == 42", [1, 2, 3, 4]), ("!age == 42", [1, 2, 3, 4]), ("not age == 42", [1, 2, 3, 4]),
                ("NOT age == 42", [1, 2, 3, 4]), ("age == 42 oR age == 17", [0, 1]),
                ("age == 42 || age == 17", [0, 1]), ("TRUEPREDICATE", [0, 1, 2, 3, 4]), ("falsepredicate", []),
                ("some dogs.age > 4", [0, 1, 3]), ("SOME dogs.age > 4", [0, 1, 3]),
                ("age==42\nOR\tage==17", [0, 1]), (#"name == 'A\u006ena'"#, [0]),
                ("name beginswith 'A' aNd name endswith 'a'", [0]),
            ])
        + rows(
            "words", "Odd",
            [
                ("你好 == 5", [0]), (#"fav\ item == 1"#, [0]), ("a-b == 1", [0]), (#"true\ love == false"#, [0]),
                ("NOT0 == 0", [0]), ("sort > 0", [0]), ("in in {'in'}", [0]), ("first == 2", [0]), ("size == 3", [0]),
                ("limit == 4", [0]), ("text == 't'", [0]), ("between BETWEEN {4, 6}", [0]),
                ("TRUEPREDICATE SORT(sort ASC)", [1, 0]),
            ])
        + rows(
            "form", "Person",
            [
                ("alive == true AND age < 20 OR name == 'Bo'", [1, 2]),
                ("alive == true AND (age < 20 OR name == 'Bo')", [2]),
                ("name == 'Bo' OR alive == true AND age < 20", [1, 2]), ("!alive == true && age == 17", [1]),
                ("!(alive == true && age == 42)", [1, 2, 3, 4]), ("NOT NOT age == 42", [0]), ("(age) == 42", [0]),
                ("((age == 42))", [0]), ("(age + 1) * 2 == 86", [0]), ("age + 1 * 2 == 44", [0]),
                ("age - 2 * 3 - 1 == 35", [0]), ("20 - age - 1 == 2", [1]),
            ])
        + rows(
            "constants", "Person",
            [
                ("age == 0x2A", [0]), ("age == +42", [0]), ("age > -1", [0, 1, 2, 3, 4]), ("height == 1.7", [0]),
                ("height == .17e1", [0]), ("height == 2.", [2]), ("height == 0.2E+1", [2]), ("weight == 60.5f", [0]),
                ("weight == 1.5", [3]), ("height < inf", [0, 2, 4]), ("height > -infinity", [0, 2, 4]),
                ("height == nan", []), ("alive == TRUE", [0, 2, 4]), ("alive == false", [1, 3]), ("name == NIL", [2]),
                ("name == null", [2]), ("born == 1990-01-01@0:0:0", [4]), ("born > 1990-01-01@0:0:0", [0]),
                ("born >= 1990-01-01T00:00:00:0", [0, 4]), ("born == 1990-05-17T12:00:00:0", [0]),
                ("born == T0:0", [1]), ("born < T0:0", [3]), ("born == T-1:-1", [3]),
                // Nanoseconds count away from zero.
                ("born == 1969-12-31@23:59:59:1", [3]), ("id == oid(507f1f77bcf86cd799439011)", [0]),
                ("id != oid(507F1F77BCF86CD799439011)", [1, 2, 3, 4]),
                ("key == uuid(3b241101-e2bb-4255-8caf-4136c566a962)", [0]), ("photo == bin('abc')", [0]),
                (#"photo == binary(B64"YWJj")"#, [0]), (#"name == B64"Qm8=""#, [1]),
                // 0.1 and 0.10 are one number, and neither is the double nearest to 0.1.
                ("worth == 0.1", [0, 4]), ("worth == 10", [1]), ("worth > 9.9", [1, 3]),
                ("worth < inf", [0, 1, 3, 4]), ("dog == obj('Dog', 'rex')", [0]), ("dog == obj('Dog', 'nobody')", []),
                ("dog != obj('Dog', 'nobody')", [0, 1, 2, 3, 4]), ("age IN {42, 17.0}", [0, 1]), ("age IN {}", []),
            ])

    /// Other people's objects, through links and by position.
    static let paths: [Row] =
        rows(
            "paths", "Person",
            [
                ("dog.name == 'Rex'", [0, 4]), ("dog.age == 12", [4]), ("dog.name == null", [2, 3]),
                ("dogs.name == 'Rex'", [0, 3]), ("dogs.name == null", [4]), ("tags[0] == 'red'", [0, 1, 4]),
                ("tags[FIRST] == 'red'", [0, 1, 4]), ("tags[LAST] == 'red'", [1, 3, 4]),
                ("tags[2] == null", [0, 1, 2, 3]), ("tags[2] == 'red'", [4]), ("dogs[0].name == 'Rex'", [0, 3]),
                ("dogs[LAST].name == 'Rex'", [3]), ("dogs[5].age == null", [0, 1, 2, 3, 4]),
                ("tags[*] == 'green'", [4]), ("tags[SIZE] == 2", [0, 3]), ("tags.@count == 3", [4]),
                ("tags.@size == 0", [2]), ("marks.@count == 3", [3]), ("dogs.@count == 0", [2]),
                // Bytes, not characters: Zoë has four of them.
                ("name.@count == 4", [0, 3, 4]), ("photo.@size > 2", [0, 3]), ("photo.@size == 0", [2]),
                ("dog.@count == 1", [0, 1, 3, 4]), ("dog.@count == 0", [2]), ("tags.length > 4", [4]),
                ("tags.length == 3", [0, 1, 3, 4]), ("prices['ash'] > 2", [0]), ("prices.ash > 2", [0]),
                ("prices['ash'] == null", [1, 2, 3]), ("prices == 1", [0]), ("prices.@values == 3", [3]),
                ("prices[*] < 0", [4]), ("prices.@values == null", [1]), ("prices.@keys == 'ash'", [0, 1, 4]),
                ("prices.@keys BEGINSWITH 'o'", [0, 3]), ("prices.@count == 2", [0, 4]),
                ("pets.rex.age == 3", [0]), ("pets['rex'].age == 12", [2]), ("pets.rex.name == null", [1, 3, 4]),
                ("pets.@values.age > 4", [2, 4]), ("pets['tom'] == null", [0, 1, 2, 3]),
                ("pets['tom'] == obj('Dog', 'fido')", [4]), ("pets.@count == 2", [0]),
                ("pets.@keys == 'rex'", [0, 2, 3]),
                // A property of the linked class has precedence over a key of that name.
                ("pets.age > 4", [2, 4]),
            ])
        + rows(
            "paths", "Dog",
            [
                ("@links.Person.dogs.age > 30", [0, 1]), ("owner.age > 30", [0, 1]), ("owner.name == null", []),
                ("ALL owner.alive == true", [3]), ("@links.Person.dogs.@count == 2", [0, 1, 2]),
                ("owner.@count == 1", [3]), ("@links.@count == 0", []),
                // Links in mixed values count as well.
                ("@links.@count == 5", [0]), ("@links.@count == 4", [1, 2]),
                ("@links.Person.dog.name == 'anna'", [3]),
            ])
        + rows("paths", "Toy", [("@links.@count == 0", [2]), ("@links.@count == 2", [0, 1])])
        + rows(
            "paths", "Thing",
            [
                ("any['a'][0] == 'x'", [13]), ("any.a[0] == 'x'", [13]), ("any[0] == 'x'", [12]),
                ("any[LAST].n == 5", [12]), ("any.list[*].n > 3", [13]), ("any.@keys == 'a'", [13]),
                ("any[*][*] == 1", [13]), ("any[*][*] == 5", [12]), ("any.a[LAST] == 1", [13]),
                ("any.@size == 3", [12, 13]), ("any.@count == 1", [6, 7]),
                ("any.@size == null", [0, 1, 2, 3, 4, 5, 8, 9, 10, 11]),
                ("any.k == null", Array(0...15)), ("any[0] == null", Array(0...11) + [13, 14, 15]),
            ])
        + rows(
            "types links", "Person",
            [
                ("dog == null", [2]), ("dog != null", [0, 1, 3, 4]), ("dog != obj('Dog', 'rex')", [1, 2, 3, 4]),
                ("dogs == obj('Dog', 'rex')", [0, 3]), ("dogs != obj('Dog', 'rex')", [0, 1, 3, 4]),
                ("ALL dogs != obj('Dog', 'rex')", [1, 2, 4]), ("NONE dogs == obj('Dog', 'rex')", [1, 2, 4]),
                ("dog IN {obj('Dog', 'rex'), obj('Dog', 'old')}", [0, 4]), ("obj('Dog', 'fido') IN dogs", [0, 1]),
                ("dog == pets.rex", [0, 3]), ("dog == dogs[0]", [0, 1, 2]), ("dog IN dogs", [0, 1]),
            ])
}
