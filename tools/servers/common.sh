# Sourced by each recipe. A recipe says what its server is; `main` starts, stops and describes it.
#
# A recipe sets, for the server it describes:
#   TITLE PORT        its name for people, and its port on 127.0.0.1
#   PIDFILE LOG       where its process id and its output are; OWN_PIDFILE=yes if the server writes the file itself
#   COMMAND_HAS       a text only this server's command line has: process ids are given out again after a crash
#   STOP_SIGNAL       how it is asked to end (default TERM)
# and defines
#   provision         puts the programs and an empty data folder there; does nothing where they are
#   command_line      fills the array COMMAND
#   ready             succeeds once the server answers
#   settle            what is done after each start (users)
#   version           prints the version of the running server
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [ "$(id -u)" = 0 ]; then default_state=/var/lib/headwater-servers; else default_state=$HERE/../../.servers; fi
STATE=${HEADWATER_SERVERS:-$default_state}
mkdir -p "$STATE"; chmod a+rx "$STATE"
STATE=$(cd "$STATE" && pwd)
OWN_PIDFILE=no STOP_SIGNAL=TERM COMMAND=()

fail() { echo "$(basename "$0"): $*" >&2; exit 1; }

# Runs a command up to four times: downloads fail now and then.
retry() {
  local n
  for n in 1 2 3 4; do "$@" && return 0; echo "try $n of 4 failed: $*" >&2; [ "$n" = 4 ] || sleep $((n * 3)); done
  return 1
}

# Installs Debian packages that are missing.
need_apt() {
  local missing=() p
  for p in "$@"; do dpkg -s "$p" 2>/dev/null | grep '^Status: install ok installed' >/dev/null || missing+=("$p"); done
  [ ${#missing[@]} -gt 0 ] || return 0
  [ "$(id -u)" = 0 ] || fail "these packages are missing, and only root can install them: ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  retry apt-get -qq update </dev/null
  retry apt-get -qq install -y --no-install-recommends "${missing[@]}" </dev/null >/dev/null
}

# Waits until a command succeeds: wait_for SECONDS COMMAND...
wait_for() {
  local end=$((SECONDS + $1)); shift
  until "$@" >/dev/null 2>&1; do [ $SECONDS -lt $end ] || return 1; sleep 0.2; done
}

listening() { (exec 3<>"/dev/tcp/127.0.0.1/$PORT") 2>/dev/null; }
not_listening() { ! listening; }

# Prints the process id if that process lives and is this server.
pid_of() {
  local pid
  pid=$(head -1 "$PIDFILE" 2>/dev/null) && [ -n "$pid" ] || return 1
  tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline" | grep -qF -- "$COMMAND_HAS" || return 1
  echo "$pid"
}

start() {
  local pid
  # Two runs on one machine may start the same server at the same moment.
  exec 9>"$STATE/.lock-$(basename "$0")-$PORT"
  flock -w 900 9 || fail "another start of $TITLE has not ended"
  if ! pid_of >/dev/null; then
    # A server that was just killed may hold its port a little longer.
    wait_for 10 not_listening || fail "port $PORT is taken by another program; choose another or name a running server (see README.md)"
    rm -f "$PIDFILE"
    provision
    command_line "$@"
    setsid "${COMMAND[@]}" >"$LOG" 2>&1 </dev/null 9>&- &
    pid=$!
    [ "$OWN_PIDFILE" = yes ] || echo "$pid" >"$PIDFILE"
  fi
  wait_for 120 ready || { tail -n 20 "$LOG" >&2; fail "$TITLE does not answer on port $PORT"; }
  settle
  exec 9>&-
  status
}

# Ends the process, and the processes it leaves behind, and waits for them: stop_with SIGNAL
stop_with() {
  local pid children
  pid=$(pid_of) || return 0
  children=$(cat "/proc/$pid/task/$pid/children" 2>/dev/null || true)
  kill -"$1" "$pid" 2>/dev/null || true
  wait_for 60 gone "$pid" || { kill -KILL "$pid" 2>/dev/null || true; wait_for 20 gone "$pid"; }
  # shellcheck disable=SC2086
  wait_for 20 gone $children || true
  [ "$OWN_PIDFILE" = yes ] || rm -f "$PIDFILE"
}

# Whether processes have ended; one that is not reaped yet has, once it has no threads left.
gone() {
  local p
  for p in "$@"; do
    [ ! -e "/proc/$p" ] || { grep -qs '^State:.Z' "/proc/$p/status" && [ "$(ls "/proc/$p/task" 2>/dev/null | wc -l)" -le 1 ]; } || return 1
  done
}

status() {
  pid_of >/dev/null && ready >/dev/null 2>&1 || { echo "$TITLE is not running on port $PORT"; return 3; }
  echo "$TITLE $(version) on 127.0.0.1:$PORT"
}

main() {
  case ${1:-} in
    start) shift; start "$@" ;;
    stop) stop_with "$STOP_SIGNAL" ;;
    kill) stop_with KILL ;;
    status) status ;;
    *) echo "usage: $(basename "$0") start [SERVER OPTIONS] | stop | kill | status" >&2; exit 2 ;;
  esac
}
