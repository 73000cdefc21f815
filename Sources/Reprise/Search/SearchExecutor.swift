internal import RepriseLMDB

/// Runs one search over a workspace, present or past: what the tables have, without the rows that the overlay changed,
/// and then those.
///
/// Words that must occur whole are walked together in the order of identifiers. Whatever the index cannot tell by
/// itself (beginnings beside other words, phrases, what is excluded) is looked up in the words of the row.
final class SearchExecutor {
    private let workspace: Workspace
    private let model: CompiledModel
    private let search: SearchDescription
    private let query: SearchQuery
    private let matcher: SearchMatcher
    private let isWanted: ((RowHit) throws -> Bool)?
    /// For the key of the row of an entry.
    private var entryKey = KeyBuffer()
    /// Whether the entries of the index do not say whether a row matches.
    private let needsRow: Bool
    /// How often each word of the query occurs in the present match, and how long that is.
    private(set) var frequencies: [Int]
    private(set) var length = 0

    /// - Parameters:
    ///   - attribute: the only attribute whose words count; nil for all of the index.
    ///   - isWanted: what matches must fulfil besides; nil is nothing.
    init(
        _ query: SearchQuery,
        attribute: String? = nil,
        model: CompiledModel,
        in workspace: Workspace,
        where isWanted: ((RowHit) throws -> Bool)? = nil
    ) throws(StoreError) {
        guard let search = model.search else { throw .noSearchIndex(model) }
        var field: Int?
        if let attribute {
            let slot = model.attribute(named: attribute)?.slot
            field = search.fields.firstIndex { $0.slot == slot }
            guard field != nil else {
                throw StoreError(
                    .invalidQuery,
                    "The search index of \(model.name) does not have \"\(attribute)\".",
                    advice: "It has "
                        + search.fields.compactMap { model.attribute(slot: $0.slot)?.name }
                        .joined(separator: ", ") + "."
                )
            }
        }
        self.workspace = workspace
        self.model = model
        self.search = search
        self.query = query
        self.isWanted = isWanted
        matcher = SearchMatcher(query, search, field: field)
        needsRow =
            !query.excluded.isEmpty || query.required.contains { $0.words.count > 1 }
            || field != nil && search.fields.count > 1
            || query.words.count > 1 && query.words.contains(where: \.isPrefix)
        frequencies = Array(repeating: 0, count: query.words.count)
    }

    /// Every match, first those that only the tables know, by identifier, then the changed rows. `body` returns false
    /// to stop.
    func forEachMatch(_ body: (RowHit) throws -> Bool) throws {
        try unsafe forEachMatchingKey { key in
            guard let row = try unsafe workspace.row(key) else { throw unsafe missing(key) }
            return try unsafe body(
                RowHit(key: key, view: row, of: model)
            )
        }
    }

    /// As ``forEachMatch(_:)``, with the key of the row only: the row itself is often not needed.
    func forEachMatchingKey(_ body: (UnsafeRawBufferPointer) throws -> Bool) throws {
        try workspace.settle()
        guard !query.words.isEmpty else { return }
        var goesOn = true
        func pass(_ id: UnsafeRawBufferPointer) throws -> Bool {
            goesOn = try unsafe consider(id, body)
            return goesOn
        }
        if query.words.contains(where: { !$0.isPrefix }) {
            unsafe try intersect(pass)
        } else {
            unsafe try gather(pass)
        }
        guard goesOn else { return }
        unsafe try workspace.forEachPendingRow(of: model) { key, row in
            try unsafe accept(key, row, readsWords: true) ? body(key) : true
        }
    }

    /// What the ranking needs to know. O(entries of the words, at most 10,000 each, plus changed rows).
    func ranking() throws -> SearchRanking {
        try workspace.settle()
        var counts = Array(repeating: 0, count: query.words.count)
        var lengthSum = 0
        for (index, word) in query.words.enumerated() {
            let list = try PostingList(of: word, in: search, workspace.base, workspace.tables.index)
            while list.isThere, counts[index] < SearchRanking.sampleCountMax {
                if try unsafe !isSuperseded(list.id) {
                    counts[index] += 1
                    lengthSum += try list.value().length
                }
                try list.next()
            }
        }
        unsafe try workspace.forEachPendingRow(of: model) { _, row in
            let payload = try unsafe RowPayload(trusting: row.payload, model.defaults)
            matcher.read(payload)
            for (index, word) in query.words.enumerated() {
                let count = matcher.postingCount(of: word)
                counts[index] += count
                lengthSum += count * matcher.length
            }
            return true
        }
        return SearchRanking(
            rowCount: workspace.counts[Int(model.number) - 1],
            entryCounts: counts,
            lengthSum: lengthSum
        )
    }
}

// MARK: - Candidates

extension SearchExecutor {
    /// Hands over the identifiers that the entries of all whole words have in common, in order.
    private func intersect(_ body: (UnsafeRawBufferPointer) throws -> Bool) throws {
        var lists: [PostingList] = []
        // Which list tells of which word.
        var sources: [(word: Int, list: Int)] = []
        var listOfWord: [SearchQuery.Word: Int] = [:]
        for (index, word) in query.words.enumerated() where !word.isPrefix {
            if let list = listOfWord[word] {
                sources.append((index, list))
                continue
            }
            listOfWord[word] = lists.count
            sources.append((index, lists.count))
            lists.append(
                try PostingList(of: word, in: search, workspace.base, workspace.tables.index)
            )
        }
        guard lists.allSatisfy(\.isThere) else { return }
        // The list that is ahead of the others leads.
        var lead = 0
        while lists[lead].isThere {
            var isCommon = true
            for index in lists.indices where index != lead {
                try unsafe lists[index].seek(atLeast: lists[lead].id)
                guard lists[index].isThere else { return }
                if unsafe !lists[index].id.hasSameBytes(as: lists[lead].id) {
                    lead = index
                    isCommon = false
                    break
                }
            }
            guard isCommon else { continue }
            if !needsRow {
                for (word, list) in sources {
                    let value = try lists[list].value()
                    frequencies[word] = value.frequency
                    length = value.length
                }
            }
            guard try unsafe body(lists[lead].id) else { return }
            try lists[lead].next()
        }
    }

    /// Hands over, in order, the identifiers of all rows that have a word with the longest of the beginnings.
    private func gather(_ body: (UnsafeRawBufferPointer) throws -> Bool) throws {
        guard let word = query.words.max(by: { $0.bytes.count < $1.bytes.count }) else { return }
        let list = try PostingList(of: word, in: search, workspace.base, workspace.tables.index)
        let arena = Arena()
        var keys: [GatheredID] = []
        while list.isThere {
            let id = unsafe list.id
            let value = try list.value()
            unsafe keys.append(
                GatheredID(
                    bytes: arena.copy(id),
                    count: UInt32(id.count),
                    frequency: UInt32(value.frequency),
                    length: UInt32(value.length)
                )
            )
            try list.next()
        }
        var sort = KeySort(capacity: keys.count)
        for index in keys.indices {
            unsafe sort.add(keys[index].bytes, count: Int(keys[index].count), index: index)
        }
        let order = sort.sorted()
        try withExtendedLifetime(arena) {
            var next = 0
            while next < order.count {
                let first = keys[Int(order[next])]
                var frequency = Int(first.frequency)
                next += 1
                // A row with several words of the beginning has as many entries.
                while next < order.count,
                    unsafe keys[Int(order[next])].id.hasSameBytes(as: first.id)
                {
                    frequency += Int(keys[Int(order[next])].frequency)
                    next += 1
                }
                if !needsRow {
                    frequencies[0] = min(frequency, PostingValue.most)
                    length = Int(first.length)
                }
                guard try unsafe body(first.id) else { return }
            }
        }
    }

    /// Hands a candidate on if the row is a match that no change in memory has replaced.
    private func consider(
        _ id: UnsafeRawBufferPointer,
        _ body: (UnsafeRawBufferPointer) throws -> Bool
    ) throws -> Bool {
        if try unsafe isSuperseded(id) { return true }
        let key = unsafe entryKey.bytes
        guard needsRow || isWanted != nil else { return try unsafe body(key) }
        guard let row = try unsafe workspace.row(key) else { throw unsafe missing(key) }
        guard try unsafe accept(key, row, readsWords: needsRow) else { return true }
        return try unsafe body(key)
    }

    /// - Parameter key: that of the row.
    private func missing(_ key: UnsafeRawBufferPointer) -> StoreError {
        let id = unsafe String(decoding: key.dropFirst(2), as: UTF8.self)
        return .damage("The search index names \(model.name) \"\(id)\", which does not exist.")
    }

    /// Whether the overlay has the row of an entry. Leaves the key of the row in `entryKey`.
    private func isSuperseded(_ id: UnsafeRawBufferPointer) throws -> Bool {
        unsafe entryKey.setRow(model: model.number, id: id)
        guard workspace.rows.count > 0 else { return false }
        return unsafe workspace.rows.index(of: entryKey.bytes) != nil
    }

    private func accept(
        _ key: UnsafeRawBufferPointer,
        _ row: RowView,
        readsWords: Bool
    ) throws -> Bool {
        let payload = try unsafe RowPayload(trusting: row.payload, model.defaults)
        if readsWords {
            guard matcher.matches(payload) else { return false }
            frequencies = matcher.frequencies
            length = matcher.length
        }
        guard let isWanted else { return true }
        return try unsafe isWanted(RowHit(key: key, view: row, of: model))
    }
}

/// A row that has a word with the wanted beginning.
@safe
private struct GatheredID {
    let bytes: UnsafeRawPointer
    let count: UInt32
    let frequency: UInt32
    let length: UInt32

    var id: UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: bytes, count: Int(count))
    }
}
