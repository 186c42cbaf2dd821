import DecodingProbe
import Glibc
import RealmFiles
import TestBasics

/// libFuzzer on `DecodingProbe`, or with `--realm-files` on the reader of Realm's files; with `--samples DIRECTORY` it
/// writes whole records to start from instead.
@main
enum DecodingFuzzer {
    static func main() {
        if CommandLine.arguments.count == 3, CommandLine.arguments[1] == "--samples" {
            return writeSamples(to: CommandLine.arguments[2])
        }
        var count = CommandLine.argc
        var arguments = CommandLine.unsafeArgv
        // libFuzzer itself ignores what starts with two hyphens.
        let readsRealmFiles = CommandLine.arguments.contains("--realm-files")
        let status = runDriver(&count, &arguments, readsRealmFiles ? readRealmFile : readRecord)
        exit(status)
    }

    private static func writeSamples(to directory: String) {
        var random = SeededRandom(seed: 1)
        for (index, probe) in DecodingProbe.allCases.enumerated() {
            for number in 0..<20 {
                guard let file = fopen("\(directory)/sample-\(index)-\(number)", "w") else { continue }
                let bytes = [UInt8(index)] + probe.sample(&random)
                fwrite(bytes, 1, bytes.count, file)
                fclose(file)
            }
        }
    }
}

/// What libFuzzer calls with its inputs.
private typealias FuzzTarget = @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32

private let readRecord: FuzzTarget = { bytes, count in
    DecodingProbe.decode(input: Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}

/// Reads everything in a file. A fault is an answer too.
private let readRealmFile: FuzzTarget = { bytes, count in
    guard let file = try? RealmFile(bytes: Array(UnsafeBufferPointer(start: bytes, count: count))) else { return 0 }
    for table in file.tables {
        _ = try? file.objectCount(of: table)
        try? file.forEachObject(of: table) { object in
            precondition(object.values.count == table.columns.count)
        }
    }
    return 0
}

/// Part of libFuzzer, which a program with a main function of its own calls.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<Int8>?>>,
    _ test: FuzzTarget
) -> Int32
