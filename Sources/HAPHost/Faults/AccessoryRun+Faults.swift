import HAPDeviations

extension AccessoryRun {
  func tellOfFault(_ fault: FaultChoice, isOn: Bool) {
    tell { _ in .fault(name: fault.name, text: fault.text, isOn: isOn) }
  }
}
