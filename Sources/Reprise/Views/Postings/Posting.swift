/// What the views keep of a word in a row (Specs/format/views.md).
struct PostingValue: Equatable {
    /// How often the word occurs, with weights; at most 65535.
    let frequency: Int
    /// How many words the row has, with weights; at most 65535.
    let length: Int

    static let byteCount = 4
    static let most = Int(UInt16.max)

    init(frequency: Int, length: Int) {
        self.frequency = min(frequency, Self.most)
        self.length = min(length, Self.most)
    }

    init(_ value: UnsafeRawBufferPointer) throws(StoreError) {
        guard value.count == Self.byteCount else {
            throw .damage("An entry of a search index has the wrong length.")
        }
        let frequency = unsafe value.loadUnaligned(as: UInt16.self)
        let length = unsafe value.loadUnaligned(fromByteOffset: 2, as: UInt16.self)
        self.frequency = Int(UInt16(littleEndian: frequency))
        self.length = Int(UInt16(littleEndian: length))
    }

    func write(into room: UnsafeMutableRawBufferPointer) {
        let frequency = UInt16(clamping: frequency).littleEndian
        let length = UInt16(clamping: length).littleEndian
        unsafe room.storeBytes(of: frequency, as: UInt16.self)
        unsafe room.storeBytes(of: length, toByteOffset: 2, as: UInt16.self)
    }

    func withBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
        unsafe withUnsafeTemporaryAllocation(byteCount: Self.byteCount, alignment: 2) { room in
            unsafe write(into: room)
            unsafe body(UnsafeRawBufferPointer(room))
        }
    }
}

extension RowWords {
    /// Puts the key of a posting together: number, word, 00, identifier.
    func setKey(
        _ key: inout KeyBuffer,
        of posting: Posting,
        in search: SearchDescription,
        id: UnsafeRawBufferPointer
    ) {
        key.removeAll()
        key.append(bigEndian: search.number)
        unsafe withBytes(of: posting) { unsafe key.append($0) }
        key.append(bigEndian: 0 as UInt8)
        unsafe key.append(id)
    }

    func value(of posting: Posting) -> PostingValue {
        PostingValue(frequency: posting.frequency, length: length)
    }
}

/// Works out which postings change with a row.
struct PostingChanges: ~Copyable {
    private var before = RowWords()
    private var after = RowWords()
    private var key = KeyBuffer()

    /// Adds what turns the postings of the old row into those of the new one.
    mutating func add(
        _ search: SearchDescription,
        id: UnsafeRawBufferPointer,
        from old: RowPayload?,
        to new: RowPayload?,
        to run: inout SortedRun
    ) {
        if let old, let new, Self.areEqual(search, old, new) { return }
        before.removeAll()
        after.removeAll()
        if let old { before.read(old, search) }
        if let new { after.read(new, search) }
        let left = before.postings()
        let right = after.postings()
        var next = 0
        for posting in left {
            while next < right.count, order(posting, right[next]) > 0 {
                unsafe put(right[next], search, id, &run)
                next += 1
            }
            if next < right.count, order(posting, right[next]) == 0 {
                if before.value(of: posting) != after.value(of: right[next]) {
                    unsafe put(right[next], search, id, &run)
                }
                next += 1
            } else {
                unsafe before.setKey(&key, of: posting, in: search, id: id)
                unsafe run.delete(key: key.bytes)
            }
        }
        while next < right.count {
            unsafe put(right[next], search, id, &run)
            next += 1
        }
    }

    private mutating func put(
        _ posting: RowWords.Posting,
        _ search: SearchDescription,
        _ id: UnsafeRawBufferPointer,
        _ run: inout SortedRun
    ) {
        unsafe after.setKey(&key, of: posting, in: search, id: id)
        let key = unsafe key.bytes
        unsafe after.value(of: posting).withBytes { unsafe run.put(key: key, value: $0) }
    }

    private func order(_ left: RowWords.Posting, _ right: RowWords.Posting) -> Int {
        unsafe before.withBytes(of: left) { left in
            unsafe after.withBytes(of: right) { unsafe left.order(against: $0) }
        }
    }

    /// Whether all searchable attributes have the same bytes.
    private static func areEqual(
        _ search: SearchDescription,
        _ old: RowPayload,
        _ new: RowPayload
    ) -> Bool {
        search.fields.allSatisfy { field in
            let left = unsafe old.slot(field.slot)
            let right = unsafe new.slot(field.slot)
            guard let left = unsafe left, let right = unsafe right else {
                return unsafe left == nil && right == nil
            }
            return unsafe left.hasSameBytes(as: right)
        }
    }
}
