#!/usr/bin/env bash
# Runs haptest in a CI job, and keeps its reports and the accessory's output. The options are those of `haptest run`.
#
#   ACCESSORY="./my-accessory --port 51826" TARGET=127.0.0.1:51826 CODE=031-45-154 haptest.sh [OPTION…]
#   TARGET=192.0.2.7:51826 CODE=031-45-154 haptest.sh [OPTION…]
#
#   TARGET      HOST:PORT of the accessory
#   ACCESSORY   the shell command that starts the accessory in the background; the script ends it afterwards (default: the accessory runs already)
#   CODE        the setup code; without it, only cases that need no code run
#   WAIT        the seconds within which the accessory must answer (default: 20)
#   REPORTS     the folder for junit.xml, report.html, report.json, report.md and accessory.log (default: haptest-reports)
#   HAPTEST     the program (default: haptest, on the PATH)
#
# Exit status: that of haptest; 2 for wrong usage; 3 if the accessory doesn't answer.
set -euo pipefail

fail() { local status=$1; shift; echo "haptest.sh: $*" >&2; exit "$status"; }

TARGET=${TARGET:-} ACCESSORY=${ACCESSORY:-} CODE=${CODE:-} WAIT=${WAIT:-20}
REPORTS=${REPORTS:-haptest-reports} HAPTEST=${HAPTEST:-haptest}
[[ $TARGET =~ ^..*:[0-9]{1,5}$ ]] || fail 2 "TARGET=HOST:PORT is needed, not '$TARGET'"
[[ $WAIT =~ ^[0-9]{1,4}$ ]] || fail 2 "WAIT is a number of seconds, not '$WAIT'"
command -v -- "$HAPTEST" >/dev/null || fail 2 "there is no program '$HAPTEST'; set HAPTEST to its path"

host=${TARGET%:*} port=${TARGET##*:}
host=${host#[} host=${host%]} # without the brackets of an IPv6 address

mkdir -p -- "$REPORTS"
for name in junit.xml report.html report.json report.md accessory.log; do rm -f -- "$REPORTS/$name"; done

# shellcheck disable=SC2016 # the inner shell expands it
answers() { timeout 2 bash -c 'exec 3<>"/dev/tcp/$0/$1"' "$host" "$port" 2>/dev/null; }

accessory=
# shellcheck disable=SC2317 # the trap calls it
end_accessory() {
  [ -n "$accessory" ] || return 0
  kill -TERM -- "-$accessory" 2>/dev/null || return 0
  for _ in {1..50}; do
    kill -0 -- "-$accessory" 2>/dev/null || return 0
    sleep 0.1
  done
  kill -KILL -- "-$accessory" 2>/dev/null || true
}
trap end_accessory EXIT

if [ -n "$ACCESSORY" ]; then
  ! answers || fail 3 "something answers at $TARGET before the accessory is started"
  # A separate session, so that the script can end all processes of the accessory.
  setsid bash -c "$ACCESSORY" </dev/null >"$REPORTS/accessory.log" 2>&1 &
  accessory=$!
fi

until answers; do
  if [ -n "$accessory" ] && ! kill -0 "$accessory" 2>/dev/null; then
    tail -n 20 -- "$REPORTS/accessory.log" >&2
    fail 3 "the accessory ended before it answered"
  fi
  [ "$SECONDS" -lt "$WAIT" ] || fail 3 "nothing answers at $TARGET after $WAIT s"
  sleep 0.2
done

words=(run "--junit=$REPORTS/junit.xml" "--html=$REPORTS/report.html" "--report-json=$REPORTS/report.json" "--markdown=$REPORTS/report.md")
[ -z "$CODE" ] || words+=("--code=$CODE")
status=0
"$HAPTEST" "${words[@]}" "$@" -- "$TARGET" || status=$?
exit "$status"
