import DecodingProbe
import Glibc
import RealmFiles
import TestBasics

/// libFuzzer on `DecodingProbe`, or with `--realm-files` on the reader of Realm's files; with `--samples DIRECTORY` it writes whole records to start from instead.
@main
enum DecodingFuzzer {
    static func main() {
        if CommandLine.arguments.count == 3, CommandLine.arguments[1] == "--samples" {
            return writeSamples(to: CommandLine.arguments[2])
        }
        var count = CommandLine.argc
        var arguments = CommandLine.unsafeArgv
        // libFuzzer itself ignores what starts with two hyphens.
        let status =
            CommandLine.arguments.contains("--realm-files")
            ? runDriver(&count, &arguments) { bytes, count in
                readRealmFile(Array(UnsafeBufferPointer(start: bytes, count: count)))
                return 0
            }
            : runDriver(&count, &arguments) { bytes, count in
                DecodingProbe.decode(input: Array(UnsafeBufferPointer(start: bytes, count: count)))
                return 0
            }
        exit(status)
    }

    /// Reads everything. A fault is an answer too.
    private static func readRealmFile(_ bytes: [UInt8]) {
        guard let file = try? RealmFile(bytes: bytes) else { return }
        for table in file.tables {
            _ = try? file.objectCount(of: table)
            try? file.forEachObject(of: table) { object in
                precondition(object.values.count == table.columns.count)
            }
        }
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

/// Part of libFuzzer, which a program with a main function of its own calls.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<Int8>?>>,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32
