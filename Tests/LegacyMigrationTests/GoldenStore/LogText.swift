import Foundation
import LegacyMigration
import Reprise

/// What a log says of migrations, and the state that it leads to, as lines of text.
enum LogText {
    static func lines(_ store: Store) throws -> [String] {
        var lines: [String] = []
        try store.read { state in
            try state.forEachCommit { commit in
                lines.append(
                    "commit \(commit.position)-\(commit.lastPosition) \(commit.intent) of \(commit.correlation) "
                        + "leads to \(commit.digest)"
                )
                for event in commit.events {
                    if let annotation = event.annotation {
                        let payload = String(decoding: annotation.payload, as: UTF8.self)
                        lines.append("\(event.position) \(annotation.name) of \(annotation.key): \(payload)")
                    } else {
                        let entity = event.entity.map { "\($0.model) \($0.id)" } ?? "-"
                        lines.append("\(event.position) \(event.type) \(entity)")
                    }
                }
                return true
            }
        }
        return lines
    }
}
