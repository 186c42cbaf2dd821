// Three questions about what storage costs:
//
//   churn   does the file stay small when objects are loaded, updated, deleted and created again?
//   kinds   how many bytes does a value of each kind take?
//   scale   does an operation cost more when there are more objects?
//
//   REALMGATE_BENCHMARKS=1 swift run -c release StorageBenchmark churn|kinds|scale [ROWS]

import Glibc

let arguments = CommandLine.arguments.dropFirst()
let rows = arguments.dropFirst().first.flatMap { Int($0) }
let directory = try ScratchDirectory()
defer { directory.remove() }
switch arguments.first {
case "churn": try Churn(directory).run(rows ?? 1_000_000)
case "kinds": try Kinds(directory).run(rows ?? 200_000)
case "scale": try Scale(directory).run(rows ?? 1_000_000)
default:
    print("StorageBenchmark churn|kinds|scale [ROWS]")
    exit(2)
}
