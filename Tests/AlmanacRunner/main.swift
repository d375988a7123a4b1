// Computes civil times by the files of time zones, for tests that compare them with other software.
//
// Each line of standard input is a command, with words separated by spaces:
//   zone FILE                reads the file of a zone, which the later commands use; prints "ok" or "error: REASON"
//   transitions FROM UNTIL   prints "SECONDS OFFSET ABBREVIATION" for FROM and for each transition before UNTIL, then "end"
//   civil SECONDS            prints the civil time of an instant
//   resolve CIVIL-TIME       prints "once SECONDS", "repeated FIRST LAST" or "skipped SECONDS"
// FROM, UNTIL and SECONDS are seconds from 1970.
import HAPAlmanac

var zone = ZoneRules.utc
while let line = readLine() {
  do {
    for answer in try answers(to: line.split(separator: " ").map(String.init), &zone) { print(answer) }
  } catch {
    print("error: \(error)")
  }
}
