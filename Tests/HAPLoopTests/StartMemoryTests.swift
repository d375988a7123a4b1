import Testing

@testable import HAPLoop

struct StartMemoryTests {
  #if os(Linux)
    @Test(
      "Only code that is mapped from a file is recognized",
      arguments: [
        ("7f1afd2e1000-7f1afd304000 r-xp 00002000 fe:00 332717                     /usr/lib/libplist-2.0.so.3\n", true),
        ("55ddca4db000-55ddcb1ba000 r-xp 0049f000 fe:00 5489804                    /opt/a name/hapsim\n", true),
        ("55ddca4db000-55ddcb1ba000 rwxp 0049f000 fe:00 5489804                    /opt/hapsim\n", false),
        ("55ddca4db000-55ddcb1ba000 r--p 0049f000 fe:00 5489804                    /opt/hapsim\n", false),
        ("7ffd566fb000-7ffd56700000 r-xp 00000000 00:00 0                          [vdso]\n", false),
        ("7ffd566fb000-7ffd56700000 r-xp 00000000 00:00 0\n", false),
        ("7f1afd304000-7f1afd304000 r-xp 00000000 fe:00 3 /x\n", false), ("", false), ("x-y r-xp 0 0 0 /x\n", false),
      ])
    func code(_ line: String, _ isCode: Bool) { #expect((StartMemory.code(line) != nil) == isCode) }

    @Test(
      "A debugger is detected",
      arguments: [("TracerPid:\t0\n", 0), ("TracerPid:\t4711\n", 4711), ("Pid:\t7\n", nil), ("TracerPid:\n", nil)]
        as [(String, Int?)])
    func tracer(_ line: String, _ process: Int?) { #expect(StartMemory.tracer(line) == process) }
  #endif

  @Test("Released memory is usable again") func giveBack() {
    StartMemory.giveBack()
    #expect((0..<1000).reduce(0, +) == 499_500)
  }
}
