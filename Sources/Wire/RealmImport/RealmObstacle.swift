/// How a way on is written for whoever asked for the import.
package enum RealmOptionStyle: Sendable {
    /// Options of the program.
    case command
    /// Parameters of a request.
    case parameters

    func leaveOut(_ name: String) -> String {
        self == .parameters ? "leaveOut=\(name)" : "--leave-out \(name)"
    }

    func rename(_ name: String, to other: String) -> String {
        "\(renameOption)\(name)=\(other)"
    }

    var renameOption: String { self == .parameters ? "rename=" : "--rename " }

    var update: String { self == .parameters ? "update=modified" : "--update modified" }
}

/// Something in a file that a database cannot have, and the way on.
package struct RealmObstacle: Equatable, Sendable {
    package enum Way: String, Sendable {
        case leaveOut
        case rename
    }

    /// What it is, without the way on.
    package var sentence: String
    /// `Class` or `Class.property`, as the file calls it; nil if it is no single one.
    package var name: String?
    package var way: Way?
    /// The words before the option.
    private var advice = ""

    init(_ sentence: String) { self.sentence = sentence }

    static func leavingOut(_ name: String, _ sentence: String, _ advice: String = "Leave it out") -> RealmObstacle {
        var obstacle = RealmObstacle(sentence)
        (obstacle.name, obstacle.way, obstacle.advice) = (name, .leaveOut, advice)
        return obstacle
    }

    static func renaming(
        _ name: String, _ sentence: String, _ advice: String = "Give it another name"
    ) -> RealmObstacle {
        var obstacle = RealmObstacle(sentence)
        (obstacle.name, obstacle.way, obstacle.advice) = (name, .rename, advice)
        return obstacle
    }

    /// With the way on.
    package func text(_ style: RealmOptionStyle) -> String {
        guard let name, let way else { return sentence }
        switch way {
        case .leaveOut: return "\(sentence) \(advice): \(style.leaveOut(name))."
        case .rename: return "\(sentence) \(advice): \(style.rename(name, to: "NAME"))."
        }
    }
}
