import ArgumentParser

/// The table of all settings, for people.
enum SettingList {
    static var text: String {
        let rows = Setting.all.map { setting in
            let fallback = setting.fallbackInWords.map { " [\($0)]" } ?? ""
            return ("  \(setting.name)", setting.variable, setting.help + fallback)
        }
        let width = (rows.map(\.0.count).max() ?? 0) + 2
        let lines = rows.map { name, variable, help in
            name + String(repeating: " ", count: width - name.count) + help + "\n"
                + String(repeating: " ", count: width) + variable
        }
        let roles = "  auth.roles: what each role may do; in the file only. docs/security/roles.md has examples."
        return (lines + [roles]).joined(separator: "\n")
    }
}

extension ArgumentHelp {
    /// Returns the help of an option from the setting's entry in the table.
    static func setting(_ name: String, discussion: String = "", valueName: String? = nil) -> ArgumentHelp {
        guard let setting = Setting.named(name) else { preconditionFailure("There is no setting \(name).") }
        var sentence = setting.help.hasSuffix(".") ? String(setting.help.dropLast()) : setting.help
        if case .choice(let choices) = setting.kind { sentence += ": " + choices.joined(separator: ", ") }
        var variable = setting.variable
        if case .flag = setting.kind {
            // The help of a flag already shows its default, with both names.
            variable += "=true"
        } else if let fallback = setting.fallbackInWords {
            variable += "; default: \(fallback)"
        }
        return ArgumentHelp("\(sentence) (\(variable)).", discussion: discussion, valueName: valueName)
    }
}
