#!/usr/bin/env bash
# Judges a controller in a CI job, and keeps the reports. The options are those of `hapsim judge`.
#
#   CONTROLLER="python3 my_controller.py" judge.sh PROFILE… [OPTION…]
#
#   CONTROLLER  the shell command that pairs with the accessory and uses it. HAP_ADDRESS, HAP_PORT, HAP_SETUP_CODE and
#               HAP_DEVICE_ID describe the (first) accessory. If the controller ends before the trial, hapsim judge ends, too
#   WAIT        the seconds within which the accessory must be ready (default: 20)
#   REPORTS     the folder for junit.xml, report.json, report.md, judge.log and controller.log (default: judge-reports)
#   HAPSIM      the program (default: hapsim, on the PATH)
#
# Exit status: that of hapsim judge. If that is 0, but the controller ended earlier with another status: that of the controller. 2 for wrong usage;
# 3 if the accessory isn't ready in time. The script needs bash 4.3 and setsid, as every Debian has.
set -euo pipefail

fail() { local status=$1; shift; echo "judge.sh: $*" >&2; exit "$status"; }

CONTROLLER=${CONTROLLER:-} WAIT=${WAIT:-20} REPORTS=${REPORTS:-judge-reports} HAPSIM=${HAPSIM:-hapsim}
[ -n "$CONTROLLER" ] || fail 2 "CONTROLLER= is needed: the command that pairs with the accessory and uses it"
[ $# -gt 0 ] || fail 2 "PROFILE… is needed"
[[ $WAIT =~ ^[0-9]{1,4}$ ]] || fail 2 "WAIT is a number of seconds, not '$WAIT'"
command -v -- "$HAPSIM" >/dev/null || fail 2 "there is no program '$HAPSIM'; set HAPSIM to its path"

mkdir -p -- "$REPORTS"
for name in junit.xml report.json report.md judge.log controller.log; do rm -f -- "$REPORTS/$name"; done

judge='' controller=''
# shellcheck disable=SC2317 # the trap calls it
end_all() {
  [ -z "$controller" ] || kill -TERM -- "-$controller" 2>/dev/null || true
  [ -z "$judge" ] || kill -TERM "$judge" 2>/dev/null || true
}
trap end_all EXIT

"$HAPSIM" judge "$@" --json --junit="$REPORTS/junit.xml" --report-json="$REPORTS/report.json" --markdown="$REPORTS/report.md" >"$REPORTS/judge.log" &
judge=$!
until grep -q '"event":"ready"' "$REPORTS/judge.log"; do
  if ! kill -0 "$judge" 2>/dev/null; then
    status=0
    wait "$judge" || status=$?
    exit "$status"
  fi
  [ "$SECONDS" -lt "$WAIT" ] || fail 3 "the accessory isn't ready after $WAIT s"
  sleep 0.1
done

said() { sed -n "1s/.*\"accessories\":\\[{[^]]*\"$1\":\"\\{0,1\\}\\([^\",}]*\\).*/\\1/p" "$REPORTS/judge.log"; }
export HAP_ADDRESS HAP_PORT HAP_SETUP_CODE HAP_DEVICE_ID
HAP_ADDRESS=$(said address) HAP_PORT=$(said port) HAP_SETUP_CODE=$(said setupCode) HAP_DEVICE_ID=$(said deviceID)
# A separate session, so that the script can end all processes of the controller.
setsid bash -c "$CONTROLLER" </dev/null >"$REPORTS/controller.log" 2>&1 &
controller=$!

wait -n "$judge" "$controller" || true
own=0
if ! kill -0 "$controller" 2>/dev/null; then
  wait "$controller" || own=$?
  controller=''
fi
kill -INT "$judge" 2>/dev/null || true
status=0
wait "$judge" || status=$?
judge=''
[ "$status" -ne 0 ] || status=$own
exit "$status"
