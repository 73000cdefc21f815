/// A text of a file, which is the same as another one only when its bytes are.
///
/// To Swift texts are the same when they look the same, however their letters are put together; to Realm they are not.
struct ExactText: Hashable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (left: ExactText, right: ExactText) -> Bool { left.text.isExactly(right.text) }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension String {
    /// Whether another text has the same bytes.
    func isExactly(_ other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
