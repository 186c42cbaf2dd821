import DecodingProbe
import Glibc

/// libFuzzer, and what it calls with each input: the first byte says which decoder the rest is for.
@main
enum DecodingFuzzer {
    static func main() {
        var count = CommandLine.argc
        var arguments = CommandLine.unsafeArgv
        let status = runDriver(&count, &arguments) { bytes, count in
            let input = UnsafeBufferPointer(start: bytes, count: count)
            guard let first = input.first else { return -1 }
            let probes = DecodingProbe.allCases
            probes[Int(first) % probes.count].decode(Array(input.dropFirst()))
            return 0
        }
        exit(status)
    }
}

/// Part of libFuzzer, which a program with a main function of its own calls.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<Int8>?>>,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32
