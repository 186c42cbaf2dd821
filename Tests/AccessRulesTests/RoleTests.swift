import AccessRules
import Testing

@Suite("roles")
struct RoleTests {
    @Test("a class that is not named may not be touched")
    func denyByDefault() { #expect(Role(name: "guest").others == ClassRule()) }
}
