import HAPHub
