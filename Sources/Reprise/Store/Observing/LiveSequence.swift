internal import Logging

/// What a query shows, again and again: first now, then whenever a commit of any process has changed it.
///
/// Nothing is kept for a consumer who is slow: he gets the newest when he asks for it, and the difference to what he
/// got before. It ends when its task is cancelled and when the store is closed. Each iteration observes for itself.
public struct LiveSequence<Element: Sendable>: AsyncSequence, Sendable {
    /// What an iteration may throw: a ``StoreError``.
    public typealias Failure = any Error

    private let store: Store
    private let makeLook: @Sendable () -> LiveLook<Element>

    init(_ store: Store, _ makeLook: @escaping @Sendable () -> LiveLook<Element>) {
        self.store = store
        self.makeLook = makeLook
    }

    /// Begins to observe. The first element is the present result.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(LiveCursor(store, makeLook()))
    }

    /// One observation, which ends with it.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let cursor: LiveCursor<Element>

        fileprivate init(_ cursor: LiveCursor<Element>) {
            self.cursor = cursor
        }

        /// Waits for the next element; nil when it is over.
        ///
        /// - Throws: ``StoreError``, `invalidQuery` and `unknownModel` among others. It is over then.
        public mutating func next() async throws -> Element? {
            try await cursor.next()
        }
    }
}

/// Looks at the present state. Returns what is to be shown, nil when that is what was shown before, and which events
/// can change it.
typealias LiveLook<Element> = (borrowing ReadTransaction) throws -> (Element?, LiveRegion)

/// One iteration.
final class LiveCursor<Element: Sendable> {
    private let store: Store
    private let look: LiveLook<Element>
    private let observation = LiveObservation()
    private var hasBegun = false
    private var isOver = false

    init(_ store: Store, _ look: @escaping LiveLook<Element>) {
        self.store = store
        self.look = look
    }

    deinit { store.live.remove(observation) }

    func next() async throws -> Element? {
        while !isOver {
            if hasBegun {
                guard await observation.wait() else { break }
            } else {
                if Task.isCancelled { break }
                hasBegun = true
            }
            do {
                if let element = try lookAgain() { return element }
            } catch {
                finish()
                if (error as? StoreError)?.code == .closed { return nil }
                throw error
            }
        }
        finish()
        return nil
    }

    private func finish() {
        isOver = true
        store.live.remove(observation)
    }

    private var isAdded = false

    private func lookAgain() throws -> Element? {
        if !isAdded {
            // Before the first look, so that nothing can fall between.
            do { try store.live.add(observation) } catch { throw StoreError.wrapping(error) }
            isAdded = true
        }
        store.configuration.logger?.trace("An observed query is run.")
        observation.beginLook()
        return try store.read { transaction in
            let (element, region) = try look(transaction)
            observation.show(region, at: transaction.position.rawValue)
            return element
        }
    }
}
