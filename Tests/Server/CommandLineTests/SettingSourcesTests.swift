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

    @Test("what Kubernetes sets for a service of that name is not a port", arguments: ["tcp", "udp", "sctp"])
    func serviceLink(scheme: String) {
        let link = "\(scheme)://10.96.4.2:8080"
        let given = sources(["REALMGATE_PORT": link, "REALMGATE_DATA": link])
        #expect(given.text(nil, "REALMGATE_PORT") == nil)
        #expect(given.text("7", "REALMGATE_PORT") == "7")
        #expect(given.serviceLink("REALMGATE_PORT") == link)
        #expect(given.text(nil, "REALMGATE_DATA") == link)
        #expect(sources(["REALMGATE_PORT": "80"]).serviceLink("REALMGATE_PORT") == nil)
    }

    @Test("an empty variable counts as not set")
    func emptyVariable() {
        #expect(sources(["REALMGATE_HOST": ""]).text(nil, "REALMGATE_HOST") == nil)
    }
}
