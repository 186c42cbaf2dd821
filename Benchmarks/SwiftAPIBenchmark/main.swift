// The question: what does a managed object cost, beside a plain Swift object and a record that GRDB reads from SQLite, in
// the same process on the same values?
//
//   REALMGATE_BENCHMARKS=1 swift run -c release SwiftAPIBenchmark [OBJECTS [WORDS OF A ROW]]

import Foundation
import GRDB
import RealmSwift

let objectCount = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 100_000
let wanted = CommandLine.arguments.dropFirst(2).first
let directory = FileManager.default.temporaryDirectory.appendingPathComponent("swift-api-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: directory) }

let parties = try Parties(directory, objectCount)
print(Line.header)
print("| --- | --- | --- | --- | --- | --- |")
try parties.measureReading()
try parties.measureAssigning()
try parties.measureQueries()
try parties.measureCreating()
print("\n\(objectCount) objects; medians of interleaved rounds.")
