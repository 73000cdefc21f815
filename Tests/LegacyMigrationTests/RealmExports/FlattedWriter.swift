/// A graph of objects as JavaScript has it, and Flatted's way of writing one: objects, arrays and texts are numbered as
/// they are met, each distinct text once.
enum Graph {
    final class Object {
        var members: [(name: String, value: Value)]

        init(_ members: [(name: String, value: Value)] = []) { self.members = members }
    }

    indirect enum Value {
        case object(Object)
        case array([Value])
        case text(String)
        /// As it is written: a number, `true`, `false` or `null`.
        case literal(String)
    }

    static func flatted(_ root: Object) -> String {
        var places: [ObjectIdentifier: Int] = [:]
        var texts: [String: Int] = [:]
        var queue: [Value] = []
        func written(_ value: Value) -> String {
            let place: Int
            switch value {
            case .literal(let text): return text
            case .text(let text):
                if let known = texts[text] { return "\"\(known)\"" }
                place = queue.count
                texts[text] = place
            case .object(let object):
                if let known = places[ObjectIdentifier(object)] { return "\"\(known)\"" }
                place = queue.count
                places[ObjectIdentifier(object)] = place
            case .array: place = queue.count
            }
            queue.append(value)
            return "\"\(place)\""
        }
        _ = written(.object(root))
        var parts: [String] = []
        while parts.count < queue.count {
            switch queue[parts.count] {
            case .object(let object):
                let members = object.members.map { "\"\($0.name)\":\(written($0.value))" }
                parts.append("{" + members.joined(separator: ",") + "}")
            case .array(let elements):
                parts.append("[" + elements.map { written($0) }.joined(separator: ",") + "]")
            case .text(let text): parts.append("\"\(RealmTruthWriter.escaped(text))\"")
            case .literal(let text): parts.append(text)
            }
        }
        return "[" + parts.joined(separator: ",") + "]"
    }
}
