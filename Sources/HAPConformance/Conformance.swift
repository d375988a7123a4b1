import HAPReport
import HAPSuite
