import Testing

@testable import RepriseCLI

struct ProgressTests {
    private func line(
        _ done: UInt64,
        _ total: UInt64?,
        _ perSecond: Double?
    ) -> ProgressLine {
        ProgressLine(
            title: "Verifying",
            unit: "event",
            done: done,
            total: total,
            perSecond: perSecond
        )
    }

    @Test func `a line says what is done, how fast and how long still`() {
        #expect(
            line(420_000, 1_000_000, 210_000).sentence
                == "Verifying: 420,000 of 1,000,000 events (42 %), 210,000/s, 0:03 left"
        )
        #expect(line(1, nil, nil).sentence == "Verifying: 1 event")
        #expect(line(5, nil, 2.5).sentence == "Verifying: 5 events, 2/s")
        #expect(line(0, 0, 0).sentence == "Verifying: 0 of 0 events, 0/s")
        // More was done than was expected: no time left is better than a wrong one.
        #expect(line(12, 10, 1).sentence == "Verifying: 12 of 10 events (100 %), 1/s")
        #expect(line(0, .max, 0.001).timeLeft == nil)
    }

    @Test func `the bar fits the screen`() {
        #expect(
            line(420_000, 1_000_000, 210_000).bar(width: 79)
                == "Verifying [##########--------------] 42 %  420,000 events  210,000/s  0:03 left"
        )
        for width in 1...120 {
            for (done, total) in [(0, 10), (10, 10), (7, nil), (99, 10)] as [(UInt64, UInt64?)] {
                #expect(DisplayWidth.of(line(done, total, 3).bar(width: width)) <= width)
            }
        }
        #expect(line(10, 10, nil).bar(width: 60).contains("[######"))
        #expect(!line(10, 10, nil).bar(width: 60).contains("-"))
    }

    @Test func `a log gets a line every five seconds`() {
        let clock = FakeClock()
        let sink = MemorySink()
        let meter = ProgressMeter(
            title: "Reading",
            unit: "row",
            sink: sink,
            traits: .plain,
            uptime: clock.uptime
        )
        for step in 1...12 {
            clock.advance(.seconds(1))
            meter.update(done: UInt64(step * 100), total: 1200)
        }
        meter.finish()
        #expect(
            sink.lines == [
                "Reading: 500 of 1,200 rows (41 %), 100/s, 0:07 left",
                "Reading: 1,000 of 1,200 rows (83 %), 100/s, 0:02 left",
            ]
        )
    }

    @Test func `a terminal gets one line that is drawn over and removed`() {
        let clock = FakeClock()
        let sink = MemorySink()
        let meter = ProgressMeter(
            title: "Reading",
            unit: "row",
            sink: sink,
            traits: TerminalTraits(isTerminal: true, width: 100, usesStyle: true),
            uptime: clock.uptime
        )
        for step in 1...10 {
            clock.advance(.milliseconds(50))
            meter.update(done: UInt64(step), total: 20)
        }
        meter.finish()
        let drawings = sink.text.split(separator: "\r\u{1B}[K")
        #expect(drawings.count == 5)
        #expect(
            drawings.last
                == "Reading [###############---------------] 50 %  10 rows  20/s  0:01 left"
        )
        #expect(sink.text.hasSuffix("\r\u{1B}[K"))
        #expect(!sink.text.contains("\n"))
    }

    @Test func `quick work and quiet work show nothing`() {
        let clock = FakeClock()
        let sink = MemorySink()
        let console = Console(
            output: MemorySink(),
            diagnostics: sink,
            diagnosticsTraits: TerminalTraits(isTerminal: true, width: 80, usesStyle: true),
            uptime: clock.uptime
        )
        let quick = console.progress("Reading", unit: "row")
        quick.update(done: 1)
        quick.finish()
        var quiet = console
        quiet.isQuiet = true
        let meter = quiet.progress("Reading", unit: "row")
        clock.advance(.seconds(60))
        meter.update(done: 1)
        meter.finish()
        #expect(sink.text.isEmpty)
        quiet.note("Still said.")
        #expect(sink.text == "Still said.\n")
    }

    @Test func `a fast beginning does not hide for long how slow the rest is`() {
        var rate = ProgressRate()
        // A tenth of the work in a tenth of a second, as hashing a file takes; the rest takes ten seconds.
        rate.note(done: 1000, at: .milliseconds(100))
        for step in 1...20 {
            rate.note(
                done: UInt64(1000 + 90 * step),
                at: .milliseconds(100 + 100 * step)
            )
        }
        let left = Double(10_000 - 2800) / (rate.perSecond ?? 0)
        #expect(left > 4 && left < 9, "\(left)")
    }

    @Test func `the rate follows a change of speed within seconds`() {
        var rate = ProgressRate()
        var done: UInt64 = 0
        for second in 1...20 {
            done += 100
            rate.note(done: done, at: .seconds(second))
        }
        #expect(rate.perSecond == 100)
        for second in 21...50 {
            done += 1000
            rate.note(done: done, at: .seconds(second))
        }
        #expect((rate.perSecond ?? 0) > 900)
        rate.note(done: 0, at: .seconds(60))
        #expect(rate.perSecond == nil)
    }
}
