import HAPHubLink
