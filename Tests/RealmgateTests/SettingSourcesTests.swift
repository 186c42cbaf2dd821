import Testing

@testable import realmgate

@Suite("Settings")
struct SettingSourcesTests {
    private enum Level: String, CaseIterable {
        case low, high
    }

    private func sources(_ variables: [String: String]) -> SettingSources { SettingSources { variables[$0] } }

    @Test("a flag wins over the environment, the environment over the default")
    func precedence() throws {
        let given = sources(["REALMGATE_PORT": "9000", "REALMGATE_HOST": "::1", "REALMGATE_DEMO": "yes"])
        #expect(try given.integer(7000, "REALMGATE_PORT", 0...65_535, default: 8080) == 7000)
        #expect(try given.integer(nil, "REALMGATE_PORT", 0...65_535, default: 8080) == 9000)
        #expect(try sources([:]).integer(nil, "REALMGATE_PORT", 0...65_535, default: 8080) == 8080)
        #expect(given.text("a", "REALMGATE_HOST") == "a")
        #expect(given.text(nil, "REALMGATE_HOST") == "::1")
        #expect(try given.flag(false, "REALMGATE_DEMO", default: false) == false)
        #expect(try given.flag(nil, "REALMGATE_DEMO", default: false) == true)
    }

    @Test("an empty variable counts as not set")
    func emptyVariable() throws {
        let empty = sources(["REALMGATE_HOST": "", "REALMGATE_DEMO": "", "REALMGATE_PORT": ""])
        #expect(empty.text(nil, "REALMGATE_HOST") == nil)
        #expect(try empty.flag(nil, "REALMGATE_DEMO", default: true) == true)
        #expect(try empty.integer(nil, "REALMGATE_PORT", 0...9, default: 3) == 3)
    }

    @Test("a value out of place names the flag or the variable that it came from")
    func wrongValues() {
        func message(_ body: () throws -> Void) -> String? {
            do {
                try body()
                return nil
            } catch { return (error as? CommandFailure)?.message }
        }
        let wrong = sources(["REALMGATE_PORT": "many", "REALMGATE_DEMO": "perhaps", "REALMGATE_LOG_LEVEL": "loud"])
        #expect(
            message { _ = try wrong.integer(nil, "REALMGATE_PORT", 0...9, default: 1) }
                == "REALMGATE_PORT is 'many', which is no whole number.")
        #expect(
            message { _ = try wrong.integer(10, "REALMGATE_PORT", 0...9, default: 1) }
                == "--port is 10; it must be 0 to 9.")
        #expect(
            message { _ = try wrong.flag(nil, "REALMGATE_DEMO", default: true) }
                == "REALMGATE_DEMO is 'perhaps'; it must be true or false.")
        #expect(
            message { _ = try wrong.choice(nil, "REALMGATE_LOG_LEVEL", default: Level.low) }
                == "REALMGATE_LOG_LEVEL is 'loud'; it must be one of: low, high.")
        #expect(
            message { _ = try wrong.choice("x", "REALMGATE_LOG_LEVEL", default: Level.low) }
                == "--log-level is 'x'; it must be one of: low, high.")
    }

    @Test("a choice is read in any case")
    func choice() throws {
        #expect(
            try sources(["REALMGATE_LOG_LEVEL": "HIGH"]).choice(nil, "REALMGATE_LOG_LEVEL", default: Level.low) == .high
        )
    }
}
