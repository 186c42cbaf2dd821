import Foundation

/// axe-core, which finds accessibility errors of a page. It is on PyPI, which the tests do not need: the trial
/// `accessibility` gets it, and names its script in `REALMGATE_AXE`.
enum Axe {
    private static let path = ProcessInfo.processInfo.environment["REALMGATE_AXE"]

    static var isWanted: Bool { path != nil }

    /// The script.
    static func source() throws -> String { try String(contentsOfFile: path ?? "", encoding: .utf8) }

    /// A JavaScript expression for what is wrong with the page: the rule, its impact, and the first elements.
    static let violations = """
        axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map((one) =>
          `${one.id} (${one.impact}): ` + one.nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(' ; ')))
        """
}
