import Testing

@testable import realmgate

@Suite("Settings")
struct SettingSourcesTests {
    private func sources(_ variables: [String: String]) -> SettingSources { SettingSources { variables[$0] } }

    @Test("a flag wins over the environment")
    func precedence() {
        let given = sources(["REALMGATE_HOST": "::1"])
        #expect(given.text("a", "REALMGATE_HOST") == "a")
        #expect(given.text(nil, "REALMGATE_HOST") == "::1")
        #expect(given.text(nil, "REALMGATE_PORT") == nil)
    }

    @Test("an empty variable counts as not set")
    func emptyVariable() {
        #expect(sources(["REALMGATE_HOST": ""]).text(nil, "REALMGATE_HOST") == nil)
    }
}
