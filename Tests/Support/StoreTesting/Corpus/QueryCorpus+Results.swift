extension QueryCorpus {
    /// SORT, DISTINCT and LIMIT.
    static let results: [Row] =
        rows(
            "order", "Person",
            [
                ("TRUEPREDICATE SORT(age ASC)", [1, 2, 3, 4, 0]), ("TRUEPREDICATE SORT(age DESC)", [0, 4, 3, 2, 1]),
                ("TRUEPREDICATE sort(age ascending)", [1, 2, 3, 4, 0]),
                ("TRUEPREDICATE SORT(name ASC)", [2, 0, 1, 4, 3]), ("TRUEPREDICATE SORT(name DESC)", [3, 4, 1, 0, 2]),
                ("TRUEPREDICATE SORT(height ASC)", [1, 3, 4, 0, 2]),
                // A null age is below all ages, no dog is above all dogs.
                ("TRUEPREDICATE SORT(dog.age ASC)", [3, 0, 1, 4, 2]),
                ("TRUEPREDICATE SORT(dog.age DESC)", [2, 4, 1, 0, 3]),
                ("TRUEPREDICATE SORT(dog.name ASC, age DESC)", [3, 1, 0, 4, 2]),
                ("TRUEPREDICATE SORT(alive ASC)", [1, 3, 0, 2, 4]),
                ("TRUEPREDICATE SORT(alive DESC, age ASC)", [2, 4, 0, 1, 3]),
                ("TRUEPREDICATE SORT(name ASC) SORT(alive ASC)", [1, 3, 2, 0, 4]),
                ("TRUEPREDICATE LIMIT(2) SORT(name DESC)", [1, 0]), ("TRUEPREDICATE SORT(age ASC) LIMIT(2)", [1, 2]),
                ("TRUEPREDICATE DISTINCT(alive)", [0, 1]), ("TRUEPREDICATE SORT(age DESC) DISTINCT(alive)", [0, 3]),
                ("TRUEPREDICATE DISTINCT(alive) SORT(age ASC)", [1, 0]),
                // Objects without a dog are dropped; a dog without a name is one.
                ("TRUEPREDICATE DISTINCT(dog.name)", [0, 1, 3]),
                ("TRUEPREDICATE DISTINCT(alive, dog.name)", [0, 1, 3]),
                ("TRUEPREDICATE LIMIT(3) LIMIT(2)", [0, 1]), ("TRUEPREDICATE LIMIT(0)", []),
                ("age > 3 SORT(dog.age DESC, name ASC) LIMIT(10)", [2, 4, 1, 0, 3]),
                ("TRUEPREDICATE SORT(age DESC) DISTINCT(name) LIMIT(5)", [0, 4, 3, 2, 1]),
                ("TRUEPREDICATE DISTINCT(name) SORT(age DESC)", [0, 4, 3, 2, 1]),
                ("TRUEPREDICATE SORT(prices['ash'] ASC)", [1, 2, 3, 4, 0]),
                ("TRUEPREDICATE SORT(prices.ash DESC)", [0, 4, 1, 2, 3]),
                ("TRUEPREDICATE SORT(tags[0] ASC)", [2, 3, 0, 1, 4]),
                ("TRUEPREDICATE SORT(worth ASC)", [2, 0, 4, 1, 3]),
                ("TRUEPREDICATE DISTINCT(worth)", [0, 1, 2, 3]), ("TRUEPREDICATE SORT(born DESC)", [0, 4, 1, 3, 2]),
                ("TRUEPREDICATE SORT(photo ASC)", [1, 2, 0, 3, 4]),
                ("TRUEPREDICATE DISTINCT(age) LIMIT(2) SORT(age ASC)", [1, 0]),
                ("alive == true SORT(age ASC) LIMIT(1)", [2]),
                ("TRUEPREDICATE DISTINCT(alive) DISTINCT(dog.age)", [0, 1]),
                ("TRUEPREDICATE SORT(alive ASC) LIMIT(3) SORT(age DESC)", [0, 3, 1]),
            ])
        + rows(
            "order", "Thing",
            [
                (
                    "TRUEPREDICATE SORT(any ASC)",
                    [0, 1, 2, 3, 5, 4, 14, 6, 7, 8, 9, 10, 11, 12, 15, 13]
                ),
                (
                    "TRUEPREDICATE SORT(any DESC)",
                    [13, 12, 15, 11, 10, 9, 8, 7, 6, 14, 4, 2, 3, 5, 1, 0]
                ),
                ("TRUEPREDICATE DISTINCT(any)", [0, 1, 2, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14]),
                ("any.@type == 'numeric' SORT(any DESC) LIMIT(1)", [4]),
            ])
        + rows(
            "order", "Amount",
            [
                ("TRUEPREDICATE SORT(d ASC)", [2, 5, 4, 6, 7, 0, 1, 3]),
                ("TRUEPREDICATE SORT(m DESC)", [3, 1, 0, 7, 6, 4, 5, 2]),
                ("TRUEPREDICATE SORT(f ASC) LIMIT(3)", [2, 5, 4]), ("i > 0 SORT(i DESC)", [3, 1, 7, 0]),
            ])
        + rows("order", "Text", [("TRUEPREDICATE SORT(s ASC) LIMIT(4)", [3, 2, 1, 9])])
        + rows(
            "order", "Dog",
            [
                ("TRUEPREDICATE DISTINCT(name) SORT(age DESC)", [1, 0, 3]),
                ("name == 'Rex' SORT(age DESC)", [2, 0]),
            ])
}
