extension QueryCorpus {
    /// Quantifiers, aggregates and subqueries.
    static let collections: [Row] =
        rows(
            "quantifiers", "Person",
            [
                ("ALL dogs.age > 3", [1, 2]), ("NONE dogs.age > 4", [2, 4]), ("ANY dogs.age != 3", [0, 1, 3, 4]),
                ("ALL dogs.age != 3", [1, 2, 4]), ("NONE dogs.age == 3", [1, 2, 4]), ("ANY dogs.age > 3", [0, 1, 3]),
                ("dogs.toys.brand == 'Kong'", [0, 1, 3]), ("ALL dogs.toys.brand == 'Kong'", [1, 2]),
                ("5 IN nums", [1]), ("name IN {'Anna', 'Bo'}", [0, 1]), ("NOT age IN {42, 17}", [2, 3, 4]),
                // Any of the two differs.
                ("age != {42, 17}", [0, 1, 2, 3, 4]), ("nums == {1, 2, 3}", [0]), ("nums != {1, 2, 3}", [1, 2, 3, 4]),
                ("nums < {4, 4, 4}", [0, 3]), ("nums == {}", [2]), ("tags == {'red', 'blue'}", [0]),
                ("tags == {'blue', 'red'}", [3]), ("ANY tags == {'red', 'blue'}", [0, 1, 3, 4]),
                ("ALL tags IN {'red', 'blue'}", [0, 1, 2, 3]), ("ANY {'red', 'blue'} IN ANY tags", [0, 1, 3, 4]),
                ("ALL {'red', 'blue'} IN tags", [0, 3]), ("NOT ANY tags IN {'red'}", [2]),
                ("NONE tags == 'red'", [2]), ("tags == 'red'", [0, 1, 3, 4]), ("'red' IN tags", [0, 1, 3, 4]),
                ("tags BEGINSWITH {'r', 'b'}", [0]), ("nums IN {1, 2, 3}", [0]), ("marks == 3", [1, 3]),
                ("ALL marks < 3", [0, 2]), ("ALL nums BETWEEN {0, 5}", [0, 1, 2, 3]), ("NONE {1, 2} IN nums", [1, 2]),
                ("ALL {1, 2} IN ALL nums", [2]), ("tags CONTAINS 'ee'", [4]), ("ALL tags BEGINSWITH 'r'", [1, 2]),
                ("marks == nums.@count", [3]),
            ])
        + rows(
            "values aggregates", "Person",
            [
                ("nums.@sum == 6", [0, 3]), ("nums.@sum == 0", [2, 4]), ("nums.@min == null", [2]),
                ("nums.@min == 1", [0, 3]), ("nums.@max > 2", [0, 1, 3]), ("nums.@avg == 2", [0, 3]),
                ("nums.@avg == null", [2]), ("dogs.@avg.age >= 5", [1, 3]), ("dogs.@max.age == null", [2, 4]),
                ("dogs.@sum.age == 8", [0]), ("dogs.@sum.age == 27", [3]), ("dogs.@min.age == 3", [0, 3]),
                ("dogs.@sum.age == 0", [2, 4]), ("rates.@sum == 2", [2]), ("rates.@avg == 1.5", [0]),
                ("rates.@min == 2", [2]), ("rates.@max == null", [1, 3]), ("marks.@sum == 3", [0, 1]),
                ("prices.@sum == 3.5", [0]), ("prices.@min == -1", [4]), ("prices.@avg == null", [1, 2]),
                ("prices.@max == 3", [3]), ("nums.@sum > dogs.@sum.age", []),
                ("nums.@sum <= dogs.@sum.age", [0, 1, 2, 3, 4]), ("dogs.toys.@max.price == 10", [0, 1, 3]),
                ("pets.@max.age == 12", [2]), ("pets.@min.age == 3", [0]), ("10 > nums.@sum", [0, 1, 2, 3, 4]),
                ("nums.@max == nums.@min", [1, 2]),
            ])
        + rows("values aggregates", "Dog", [("owner.@max.age == 42", [0, 1]), ("owner.@avg.age == 29", [2])])
        + rows(
            "values aggregates", "Thing",
            [
                // Only numbers are added: 1 and 1.0.
                ("many.@sum == 2", [2]), ("many.@avg == 2.75", [4]), ("many.@max == 'a'", [2]),
                ("many.@min == true", [4]), ("many.@min == null", [0, 1, 3] + Array(5...15)),
                ("many.@sum == 0", [0, 1, 3] + Array(5...15)), ("many.@count == 4", [2]), ("many == 1", [2]),
                ("ANY many == 'a'", [2]), ("ANY many == null", [2]), ("many[1] == 3.5", [4]),
            ])
        + rows(
            "subqueries", "Person",
            [
                ("SUBQUERY(dogs, $d, $d.age > 3 AND $d.name == 'Rex').@count > 0", [3]),
                // The old dog is in the list twice.
                ("SUBQUERY(dogs, $d, $d.age > 3).@count == 2", [3]),
                ("SUBQUERY(dogs, $d, $d.age > 3 && $d.name CONTAINS 'e').@count >= 2", [3]),
                ("SUBQUERY(dogs, $d, ANY $d.toys.brand == 'Kong').@count == dogs.@count", [0, 1, 2]),
                ("SUBQUERY(dog.toys, $t, $t.price > 5).@count == 1", [0, 1]),
                ("SUBQUERY(dogs, $d, SUBQUERY($d.toys, $t, $t.price > 5).@count > 0).@count > 0", [0, 1, 3]),
                ("SUBQUERY(dogs, $d, TRUEPREDICATE).@count == 3", [3]),
                ("SUBQUERY(dogs, $d, FALSEPREDICATE).@size == 0", [0, 1, 2, 3, 4]),
                ("3 > SUBQUERY(dogs, $d, $d.age > 3).@count", [0, 1, 2, 3, 4]),
                // Two different dogs may satisfy this one.
                ("ANY dogs.age > 4 AND ANY dogs.name == 'Rex'", [0, 3]),
                ("SUBQUERY(dogs, $d, NOT $d.name == 'Rex').@count > 0", [0, 1, 4]),
            ])
        + rows(
            "subqueries", "Dog",
            [
                ("SUBQUERY(owner, $p, $p.age < 20).@size == 1", [1]),
                ("SUBQUERY(@links.Person.dogs, $p, $p.alive == true).@count > 0", [0, 1, 3]),
                ("SUBQUERY(toys, $t, $t.brand == 'Kong').@count == toys.@count", [1, 2]),
            ])
}
