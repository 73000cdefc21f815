public import Observation

/// The results of a query as a property that is always the newest, for user interfaces.
///
/// ```swift
/// let notes = LiveQuery(FetchDescriptor<Note>().sorted(by: \.title), in: store)
/// notes.results  // observed by SwiftUI, and by whatever else uses Observation
/// ```
///
/// It observes the store for as long as it lives. The store is read on other threads than the main one.
@MainActor
@Observable
public final class LiveQuery<M: Model> {
    /// The newest results; empty until they were read for the first time.
    public private(set) var results: [M] = []
    /// What led to them from the results before.
    public private(set) var difference = LiveDifference()
    /// Whether the results have been read.
    public private(set) var isLoaded = false
    /// Why there will be no newer ones, if that is so: what reading them threw.
    public private(set) var failure: (any Error)?

    @ObservationIgnored private var task: Task<Void, Never>?

    /// Begins to observe.
    ///
    /// - Parameters:
    ///   - descriptor: the query whose results are shown.
    ///   - store: the store, which is kept open as long as this object lives.
    public init(_ descriptor: FetchDescriptor<M>, in store: Store) {
        let sequence = store.observe(descriptor)
        task = Task { [weak self] in
            do {
                for try await update in sequence {
                    guard let self else { return }
                    self.take(update)
                }
            } catch { self?.failure = error }
        }
    }

    deinit { task?.cancel() }

    private func take(_ update: LiveUpdate<M>) {
        results = update.results
        difference = update.difference
        isLoaded = true
    }
}
