#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Tells a waiting thread that a file was written, by whatever process, and lets it be woken.
///
/// Linux: inotify(7); Apple's systems: kqueue(2). Neither says what was written or whether it is complete, events run
/// together, and on some file systems (those of a network) none come: who waits looks for himself, and does so now and
/// then without being told. One thread waits; any thread may wake it.
package final class FileWatch: Sendable {
    /// Becomes readable when the file is written; -1 when the system cannot tell.
    private let events: Int32
    /// The watched file, where the system wants it open; otherwise -1.
    private let file: Int32
    private let wakeReader: Int32
    private let wakeWriter: Int32

    /// - Throws: what the system says when there is no descriptor left.
    package init(_ path: String) throws(LMDBError) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw systemFailure("make a pipe") }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        wakeReader = ends[0]
        wakeWriter = ends[1]
        #if os(Linux) || os(Android)
            file = -1
            // The same flags as those of inotify.
            let notifier = inotify_init1(O_NONBLOCK | O_CLOEXEC)
            if notifier >= 0, unsafe inotify_add_watch(notifier, path, UInt32(IN_MODIFY)) < 0 {
                close(notifier)
                events = -1
            } else {
                events = notifier
            }
        #else
            file = unsafe open(path, O_EVTONLY | O_CLOEXEC)
            events = kqueue()
            var interest = unsafe kevent(
                ident: UInt(max(0, file)),
                filter: Int16(EVFILT_VNODE),
                flags: UInt16(EV_ADD | EV_CLEAR),
                fflags: UInt32(NOTE_WRITE | NOTE_EXTEND),
                data: 0,
                udata: nil
            )
            if file >= 0 { _ = unsafe kevent(events, &interest, 1, nil, 0, nil) }
        #endif
    }

    deinit {
        for descriptor in [events, file, wakeReader, wakeWriter] where descriptor >= 0 {
            close(descriptor)
        }
    }

    /// Returns when the file was written, when ``wake()`` was called, or when the time is over; at times for nothing.
    package func wait(milliseconds: Int) {
        var descriptors = [
            pollfd(fd: wakeReader, events: Int16(POLLIN), revents: 0),
            pollfd(fd: events, events: Int16(POLLIN), revents: 0),
        ]
        let limit = Int32(clamping: milliseconds)
        guard unsafe poll(&descriptors, nfds_t(2), limit) > 0 else { return }
        if descriptors[0].revents != 0 { drain(wakeReader) }
        if descriptors[1].revents != 0 {
            #if os(Linux) || os(Android)
                drain(events)
            #else
                var seen = unsafe kevent()
                var now = timespec()
                while unsafe kevent(events, nil, 0, &seen, 1, &now) > 0 {}
            #endif
        }
    }

    /// Lets the waiting thread go on; the next one, when none waits.
    package func wake() {
        // A pipe that is full wakes as well.
        _ = unsafe write(wakeWriter, [0 as UInt8], 1)
    }

    private func drain(_ descriptor: Int32) {
        unsafe withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            while unsafe read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
        }
    }
}
