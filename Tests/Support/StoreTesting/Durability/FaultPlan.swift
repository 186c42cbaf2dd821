/// One fault that the library CFaults injects into a child process. The child gets the plan in its environment;
/// Tests/Support/CFaults/include/CFaults.h documents each part.
package struct FaultPlan: Hashable, Sendable, CustomStringConvertible {
    /// A kind of system call.
    package enum Call: String, CaseIterable, Sendable {
        case write, sync, truncate, rename
    }

    package enum Action: Hashable, Sendable {
        /// Does not execute the call and reports the error.
        case fail(Fault)
        /// Executes the call, then reports the error.
        case failLate(Fault)
        /// Writes that many bytes at most, and reports that.
        case writeShort(bytes: Int)
        /// Writes that many bytes at most, then ends the process.
        case tear(bytes: Int)
        case dieBefore
        case dieAfter
        /// Executes the call, and returns only after that time.
        case wait(milliseconds: Int)
    }

    /// An error of the system, with its number on Linux.
    package enum Fault: Int, CaseIterable, Sendable {
        case inputOutput = 5
        case noSpace = 28
        case quota = 122
        case fileTooBig = 27
    }

    package var call: Call
    /// The number of the call of its kind, from 1.
    package var number: Int
    package var action: Action
    /// Whether all later calls of the kind fail too.
    package var repeats = false

    package init(_ call: Call, _ number: Int, _ action: Action, repeats: Bool = false) {
        self.call = call
        self.number = number
        self.action = action
        self.repeats = repeats
    }

    /// The plan in the syntax of CFaults.
    package var description: String {
        let action =
            switch action {
            case .fail(let fault): "fail:\(fault.rawValue)"
            case .failLate(let fault): "late:\(fault.rawValue)"
            case .writeShort(let bytes): "short:\(bytes)"
            case .tear(let bytes): "torn:\(bytes)"
            case .dieBefore: "before"
            case .dieAfter: "after"
            case .wait(let milliseconds): "wait:\(milliseconds)"
            }
        return "\(call.rawValue):\(number)\(repeats ? "+" : ""):\(action)"
    }

    /// Whether the child does not survive the fault.
    package var ends: Bool {
        switch action {
        case .tear, .dieBefore, .dieAfter: true
        case .fail, .failLate, .writeShort, .wait: false
        }
    }

    /// Whether a child's standard error reports the fault.
    package func hasStruck(_ standardError: String) -> Bool {
        standardError.contains("fault \(call.rawValue) \(number)\n")
    }

    /// Every fault of the `number`-th call of a kind, once and permanently.
    package static func all(of call: Call, _ number: Int) -> [FaultPlan] {
        var actions: [Action] = [.dieBefore, .dieAfter]
        for fault in [Fault.inputOutput, .noSpace] { actions += [.fail(fault), .failLate(fault)] }
        if call == .write {
            // Within the meta page's record, at a sector, within the second page.
            for bytes in [16, 512, 5000] { actions += [.writeShort(bytes: bytes), .tear(bytes: bytes)] }
        }
        return actions.flatMap { action -> [FaultPlan] in
            let once = FaultPlan(call, number, action)
            return once.ends ? [once] : [once, FaultPlan(call, number, action, repeats: true)]
        }
    }
}

/// The environment of a process that runs in front of CFaults.
package struct FaultEnvironment: Sendable {
    /// The built library.
    package var library: String
    /// fnmatch patterns of the files whose calls fail and are traced.
    package var files: [String]
    package var plan: FaultPlan?
    /// The path of the trace.
    package var trace: String?

    package init(library: String, files: [String], plan: FaultPlan? = nil, trace: String? = nil) {
        self.library = library
        self.files = files
        self.plan = plan
        self.trace = trace
    }

    package var variables: [String: String] {
        var variables = ["LD_PRELOAD": library, "REALMGATE_FAULT_FILES": files.joined(separator: ":")]
        variables["REALMGATE_FAULT"] = plan?.description
        variables["REALMGATE_FAULT_TRACE"] = trace
        return variables
    }
}
