#if canImport(SwiftUI)
    public import SwiftUI

    extension EnvironmentValues {
        /// The store that ``LiveFetch`` reads.
        @Entry public var repriseStore: Store?
    }

    /// The newest results of a query, in a SwiftUI view. The view is drawn again when they change.
    ///
    /// ```swift
    /// @LiveFetch(FetchDescriptor<Note>().sorted(by: \.title)) var notes
    /// ```
    ///
    /// The store comes from the environment: `.environment(\.repriseStore, store)`.
    @MainActor
    @propertyWrapper
    public struct LiveFetch<M: Model>: DynamicProperty {
        @Environment(\.repriseStore) private var store
        @State private var holder = LiveFetchHolder<M>()
        private let descriptor: FetchDescriptor<M>

        /// Shows what a descriptor asks for; all entities of the model where none is given.
        public init(_ descriptor: FetchDescriptor<M> = FetchDescriptor()) {
            self.descriptor = descriptor
        }

        /// Empty until they were read for the first time.
        public var wrappedValue: [M] { holder.query?.results ?? [] }

        /// The observed query, with the difference and a failure.
        public var projectedValue: LiveQuery<M>? { holder.query }

        /// Called by SwiftUI before the view is drawn.
        public mutating func update() {
            holder.observe(descriptor, in: store)
        }
    }

    /// Keeps the query of a view for as long as the view is the same.
    @MainActor
    final class LiveFetchHolder<M: Model> {
        private(set) var query: LiveQuery<M>?
        private var store: Store?
        private var asked: RecordQuery?

        func observe(_ descriptor: FetchDescriptor<M>, in store: Store?) {
            if store === self.store, asked == descriptor.query { return }
            self.store = store
            asked = descriptor.query
            query = store.map { LiveQuery(descriptor, in: $0) }
        }
    }
#endif
