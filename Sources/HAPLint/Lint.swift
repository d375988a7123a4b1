import HAPModel
import HAPWire
