import Identity
import Testing

@Suite("principals")
struct PrincipalTests {
    @Test("somebody without a credential has no roles")
    func anonymous() { #expect(Principal.anonymous.roles.isEmpty) }
}
