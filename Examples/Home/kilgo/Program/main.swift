import AppStage
import KilgoGarage

// `swift run kilgo` plays the taps of its script in a simulated world, and prints the screens.
// `swift run kilgo --real` is the app on this machine: its home hub, real accessories, and taps from standard input.
await AppProgram.run("kilgo") { _ in KilgoApp() }
