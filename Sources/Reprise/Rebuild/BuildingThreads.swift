/// How the building of rows is shared out among threads. What is built does not depend on it.
struct BuildingThreads {
    /// More would wait for the one thread that writes.
    private static let countMax = 4

    /// How many threads build, the calling one included; beside them one writes.
    var count: Int
    /// About how many events a thread builds before it is another one's turn.
    var stretchCount: Int

    /// What suits this machine.
    static var ordinary: BuildingThreads {
        // A stretch of ordinary rows makes a megabyte: enough to be worth handing over, and little to hold back.
        BuildingThreads(count: min(DetachedThread.processorCount, countMax), stretchCount: 4096)
    }
}
