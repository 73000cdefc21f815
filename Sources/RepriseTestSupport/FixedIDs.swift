public import Reprise
internal import Synchronization

/// Identifiers that are the same in every run of a test: `id001`, `id002` and so on, in the order of their bytes up to
/// `id999`.
///
/// ```swift
/// let ids = FixedIDs()
/// try store.write { try $0.insert(Note(id: ids.next(), title: "Monday")) }
/// ```
public final class FixedIDs: Sendable {
    private let prefix: String
    private let count = Mutex(0)

    /// - Parameter prefix: what each identifier begins with.
    public init(prefix: String = "id") {
        self.prefix = prefix
    }

    /// The next identifier, of any model.
    public func next<M>(_ type: M.Type = M.self) -> Identifier<M> {
        let number = count.withLock { count in
            count += 1
            return String(count)
        }
        return Identifier(prefix + String(repeating: "0", count: max(0, 3 - number.count)) + number)
    }
}
