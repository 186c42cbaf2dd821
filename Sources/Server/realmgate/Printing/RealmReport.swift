import ObjectModel
import RealmFiles
import RealmImport

/// Describes what a Realm file has, as lines for people.
enum RealmReport {
    /// What is different afterwards or stays behind.
    static func printNotes(_ classes: RealmClasses, _ report: RealmImportReport? = nil) {
        printNotes(classes.notes + (report?.notes ?? []), lostLinks: report?.lostLinks ?? 0)
    }

    /// What would be different.
    static func printNotes(_ preview: RealmPreview) { printNotes(preview.notes, lostLinks: preview.lostLinks) }

    private static func printNotes(_ notes: [String], lostLinks: Int) {
        for note in notes { StandardError.write(note.printable() + "\n") }
        guard lostLinks > 0 else { return }
        StandardError.write(
            lostLinks == 1
                ? "1 link in a mixed value led to an object that was left out, and is null now, or missing in a set.\n"
                : "\(grouped(lostLinks)) links in mixed values led to objects that were left out, and are null now, or missing in a set.\n"
        )
    }

    /// The format of a file, and the number of objects of each class.
    static func lines(counting file: RealmFile, _ classes: RealmClasses) throws -> [String] {
        let counts = try classes.counts(in: file)
        return ["Realm's format \(file.format), schema version \(classes.schema.version)"]
            + counts.map { "\($0.name.printable()): \(objects($0.objects, isEmbedded: $0.isEmbedded))" }
    }

    /// The classes that would come.
    static func lines(_ preview: RealmPreview) -> [String] {
        ["Realm's format \(preview.format), schema version \(preview.schemaVersion)"]
            + preview.classes.filter { !$0.isLeftOut }.map { entry in
                var line = "\(entry.name.printable()): \(objects(entry.objects, isEmbedded: entry.isEmbedded))"
                if entry.present > 0 { line += ", \(grouped(entry.present)) of them there already" }
                return line + (entry.isNew ? "" : ", into the class of the database")
            }
    }

    /// The counts and sums of an import, to compare with what the app says.
    static func lines(_ report: RealmImportReport) -> [String] {
        var lines: [String] = []
        for entry in report.classes {
            var line = "\(entry.name.printable()): \(objects(entry.objects, isEmbedded: entry.isEmbedded))"
            if entry.present > 0 {
                line += ", \(grouped(entry.present)) of them there before, \(grouped(entry.modified)) changed"
            }
            lines.append(line)
            lines += entry.numbers.map { "  \($0.property.printable()): \(text($0))" }
        }
        return lines
    }

    private static func objects(_ count: Int, isEmbedded: Bool) -> String {
        "\(grouped(count)) \(isEmbedded ? "embedded " : "")\(count == 1 ? "object" : "objects")"
    }

    private static func text(_ numbers: RealmImportReport.Numbers) -> String {
        let count = "\(grouped(numbers.count)) \(numbers.count == 1 ? "value" : "values")"
        guard let minimum = numbers.minimum, let maximum = numbers.maximum else { return count }
        return "\(count), sum \(numbers.sum), minimum \(minimum), maximum \(maximum)"
    }
}
