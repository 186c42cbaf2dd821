import Foundation
import ProgramTesting
import RepositoryFiles

/// axe-core, which finds accessibility errors of a page.
enum Axe {
    /// The script, from PyPI; nil where it cannot be had.
    static let source: String? = {
        guard Browser.isWanted, let place = try? TestDirectory(),
            let process = try? ChildProcess(Checkout.root + "/.ci/axe", [], directory: place.path),
            (try? process.wait(seconds: 300)) == 0
        else { return nil }
        // The output is in the directory.
        let output = withExtendedLifetime(place) { process.output }
        return try? String(contentsOfFile: output.trimmingCharacters(in: .whitespacesAndNewlines), encoding: .utf8)
    }()

    /// Without axe-core its test is skipped, except in CI, where everything must be tested.
    static var isWanted: Bool { source != nil || ProcessInfo.processInfo.environment["CI"] != nil }

    /// A JavaScript expression for what is wrong with the page: the rule, its impact, and the first elements.
    static let violations = """
        axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map((one) =>
          `${one.id} (${one.impact}): ` + one.nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(' ; ')))
        """
}
