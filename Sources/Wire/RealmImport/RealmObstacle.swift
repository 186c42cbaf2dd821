/// How a remedy is written for the caller who asked for the import.
package enum RealmOptionStyle: Sendable {
    /// Options of the program.
    case command
    /// Parameters of a request.
    case parameters

    /// An option that the user can copy: quoted for a shell, or encoded for the target of a request, if the name needs
    /// it.
    package func leaveOut(_ name: String) -> String {
        self == .parameters ? "leaveOut=\(Self.encoded(name))" : "--leave-out\(Self.quoted(name))"
    }

    /// An option that the user can copy, as for `leaveOut`.
    func rename(_ name: String, to other: String) -> String {
        let text = "\(name)=\(other)"
        return self == .parameters ? "rename=\(Self.encoded(text))" : "--rename\(Self.quoted(text))"
    }

    /// The value after a space, or after an equals sign if it could be mistaken for an option.
    private static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { $0 >= 0x80 || isUnreserved($0) || ":,/@%+=".utf8.contains($0) }
        let word =
            isPlain && !text.isEmpty
            ? text : "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
        return (text.hasPrefix("-") ? "=" : " ") + word
    }

    private static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            if isUnreserved(byte) || "=$:,/@".utf8.contains(byte) { return String(UnicodeScalar(byte)) }
            return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    var renameOption: String { self == .parameters ? "rename=" : "--rename " }

    var update: String { self == .parameters ? "update=modified" : "--update modified" }
}

/// Something in a file that a database cannot contain, and the remedy.
package struct RealmObstacle: Equatable, Sendable {
    package enum Remedy: String, Sendable {
        case leaveOut
        case rename
    }

    /// What it is, without the remedy.
    package var sentence: String
    /// `Class` or `Class.property`, as the file calls it; nil for several.
    package var name: String?
    package var remedy: Remedy?
    /// The words before the option.
    private var advice = ""

    init(_ sentence: String) { self.sentence = sentence }

    static func leavingOut(_ name: String, _ sentence: String, _ advice: String = "Leave it out") -> RealmObstacle {
        var obstacle = RealmObstacle(sentence)
        (obstacle.name, obstacle.remedy, obstacle.advice) = (name, .leaveOut, advice)
        return obstacle
    }

    static func renaming(
        _ name: String, _ sentence: String, _ advice: String = "Give it another name"
    ) -> RealmObstacle {
        var obstacle = RealmObstacle(sentence)
        (obstacle.name, obstacle.remedy, obstacle.advice) = (name, .rename, advice)
        return obstacle
    }

    /// The sentence with the remedy.
    package func text(_ style: RealmOptionStyle) -> String {
        guard let name, let remedy else { return sentence }
        switch remedy {
        case .leaveOut: return "\(sentence) \(advice): \(style.leaveOut(name))."
        case .rename: return "\(sentence) \(advice): \(style.rename(name, to: "NAME"))."
        }
    }
}
