import Basics
import Testing

struct NearestNameTests {
    @Test(
        "the hint is the name that was most likely meant, or none",
        arguments: [
            ("nmae", "name"), ("Name", "name"), ("nam", "name"), ("names", "name"), ("wieght", "weight"),
            ("weihgt", "weight"), ("breeed", "breed"), ("x", nil), ("colour", nil), ("ag", "age"), ("", nil),
            ("naïme", "name"),
        ] as [(String, String?)])
    func hint(_ typed: String, _ expected: String?) {
        #expect(["name", "age", "breed", "weight"].nearest(to: typed) == expected)
    }

    @Test("of two names at the same distance the first one is chosen, and an exact one before both")
    func ties() {
        #expect(["cat", "car"].nearest(to: "cab") == "cat")
        #expect(["cat", "cab", "car"].nearest(to: "CAB") == "cab")
        #expect([String]().nearest(to: "a") == nil)
    }
}
