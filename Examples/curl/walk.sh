#!/usr/bin/env bash
# The control API with curl: opens a garage door, advances time, and adds another accessory.
#
#   Examples/curl/walk.sh [HAPSIM] [PROFILES]
set -euo pipefail
hapsim=${1:-hapsim} profiles=${2:-Profiles}
fifo=$(mktemp -u)
mkfifo "$fifo"
"$hapsim" run "$profiles/garage-door.hasaccessory" --virtual-time --ephemeral --bonjour off --bind 127.0.0.1 --json >"$fifo" &
pid=$!
trap 'kill $pid; rm -f "$fifo"' EXIT
exec 3<"$fifo"
read -r ready <&3
cat <&3 >/dev/null &
api=$(sed 's/.*"control":"\([^"]*\)".*/\1/' <<<"$ready")v1
ask() { curl --silent --show-error --fail-with-body "$@"; echo; }
json=(-H 'Content-Type: application/json')

ask "$api/accessories"
ask -X PUT "$api/accessories/1/characteristics/TargetDoorState" "${json[@]}" -d '{"value": "open"}'
ask -X POST "$api/clock/advance" "${json[@]}" -d '{"duration": "8s"}'
ask "$api/accessories/1/characteristics/CurrentDoorState" | tee /dev/stderr | grep -q '"word":"open"'
ask -X POST "$api/accessories" "${json[@]}" --data-binary "@$profiles/light-white.hasaccessory" >/dev/null
ask -X PUT "$api/accessories/2/faults/latency" "${json[@]}" -d '{"by": "2s"}'
ask "$api/log?limit=3"
