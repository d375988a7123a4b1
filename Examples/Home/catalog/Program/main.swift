import AppStage
import HomeCatalog

// `swift run catalog` plays the taps of its script in a simulated world, and prints the screens.
// `swift run catalog --real` is the app on this machine: its home hub, real accessories, and taps from standard input.
await AppProgram.run("catalog") { CatalogApp(calendar: $0) }
