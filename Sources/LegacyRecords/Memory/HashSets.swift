package import ExportFormats
import Synchronization

/// Sets of hashes that the classes of one survey fill together: all share one ``RecordMemory``. What a survey found is
/// asked by sources, which any thread may read.
package final class HashSets: Sendable {
    /// One of the sets.
    package struct Place: Sendable {
        fileprivate let index: Int
    }

    private struct State {
        let memory = RecordMemory()
        var sets: [RememberedSet<UInt64>] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Makes an empty set.
    package func add() -> Place {
        state.withLock { state in
            state.sets.append(RememberedSet(in: state.memory))
            return Place(index: state.sets.count - 1)
        }
    }

    /// Adds a hash; returns whether it is new.
    ///
    /// - Throws: ``LegacyError`` with the code `inputOutput` where what does not fit into memory cannot be put aside.
    @discardableResult
    package func insert(_ hash: UInt64, at place: Place) throws(LegacyError) -> Bool {
        try state.withLock { state throws(LegacyError) in
            try state.sets[place.index].insert(hash)
        }
    }

    package func contains(_ hash: UInt64, at place: Place) throws(LegacyError) -> Bool {
        try state.withLock { state throws(LegacyError) in
            try state.sets[place.index].contains(hash)
        }
    }
}
