/// The table of all settings, for people.
enum SettingList {
    static var text: String {
        let rows = Setting.all.map { setting in
            ("  \(setting.name)", "\(setting.variable)", setting.help + (fallback(setting).map { " [\($0)]" } ?? ""))
        }
        let width = (rows.map(\.0.count).max() ?? 0) + 2
        let lines = rows.map { name, variable, help in
            name + String(repeating: " ", count: width - name.count) + help + "\n"
                + String(repeating: " ", count: width) + variable
        }
        let roles = "  auth.roles: what each role may do; in the file only. docs/security/roles.md has examples."
        return (lines + [roles]).joined(separator: "\n")
    }

    private static func fallback(_ setting: Setting) -> String? {
        switch setting.fallback {
        case .text(let text)?: text
        case .integer(let number)?: "\(number)"
        case .flag(let flag)?: "\(flag)"
        case .list(let texts)?: texts.isEmpty ? nil : texts.joined(separator: ",")
        case nil: nil
        }
    }
}
