/// Rows lent to code that knows their Swift types, which lies in other modules.
extension StateAccess {
    /// Lends the row of an entity to `decode`. Returns whether there is one.
    @usableFromInline
    func decodeRow(
        of type: ObjectIdentifier,
        _ declaration: () -> ModelDeclaration,
        id: String,
        _ decode: RowDecoder
    ) throws -> Bool {
        try run {
            let binding = try binding(for: type, declaration)
            guard id.utf8.count <= identifierByteCountMax else { return false }
            var text = id
            return try text.withUTF8 { bytes in
                let id = UnsafeRawBufferPointer(bytes)
                unsafe workspace.keyBuffer.setRow(model: binding.model.number, id: id)
                guard let row = try unsafe workspace.row(workspace.keyBuffer.bytes) else {
                    return false
                }
                try unsafe binding.decode(row, id: id, decode)
                return true
            }
        }
    }

    /// Lends the rows that a query asks for to `decode`, in its order.
    @usableFromInline
    func decodeRows(
        of type: ObjectIdentifier,
        _ declaration: () -> ModelDeclaration,
        _ query: RecordQuery,
        _ decode: RowDecoder
    ) throws {
        try run {
            try synchronize?()
            let binding = try binding(for: type, declaration)
            let executor = try QueryExecutor(query, in: workspace)
            try executor.forEach { hit in
                try unsafe binding.decode(hit.view, id: hit.id, decode)
                return true
            }
        }
    }
}
