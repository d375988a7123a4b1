import AppStage
import HomeSetup

// `swift run setup-app` plays the taps of its script in a simulated world, and prints the screens.
// `swift run setup-app --real` is the app on this machine: its home hub, real accessories, and taps from standard input.
await AppProgram.run("setup-app") { _ in SetupApp() }
