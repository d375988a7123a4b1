import CYAML
import HAPWire
