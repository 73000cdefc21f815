/// What is asked of a part of the file, with no more belief in it.
extension StructureWalk {
    /// Walks the free tree only. Returns how many pages its lists have.
    mutating func countFreePages() throws(LMDBError) -> Int {
        try expectMany()
        try walk(meta.freeTree, .free)
        return freePageCount
    }

    /// Where in the file the least key of the tree of tables lies. Reads the pages on the way.
    mutating func offsetOfFirstKey(in tree: TreeRecord) throws(LMDBError) -> Int {
        var number = tree.root
        for level in 0..<min(Int(tree.depth), Self.depthMax) {
            let isLeaf = level == Int(tree.depth) - 1
            let bytes = try unsafe readPage(number, level: level)
            do throws(PageFault) {
                let page = try unsafe NodePage(bytes, number: number, isLeaf: isLeaf, .main)
                if isLeaf { return Int(number) * meta.pageByteCount + page.keyOffset(0) }
                number = page.child(0)
            } catch {
                throw damage(error.sentence, page: error.page)
            }
        }
        throw damage("a tree has an impossible depth", page: tree.root)
    }
}
