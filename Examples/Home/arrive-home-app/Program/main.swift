import AppStage
import ArriveHome

// `swift run arrive-home-app` plays the taps of its script in a simulated world, and prints the screens.
// With `--real`, it is the app on this machine: its home hub, real accessories, and taps from standard input.
await AppProgram.run("arrive-home-app") { _ in ArriveHomeApp() }
