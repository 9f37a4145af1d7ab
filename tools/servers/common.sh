# Sourced by the server scripts: where state lives, and small helpers.
set -euo pipefail
STATE=${HEADWATER_SERVERS:-/var/lib/headwater-servers}
mkdir -p "$STATE"; chmod a+rx "$STATE"

# Runs a command up to four times: package downloads fail now and then.
retry() { local n; for n in 1 2 3 4; do "$@" && return 0; echo "try $n failed: $*" >&2; sleep $((n * 3)); done; return 1; }

# Installs Debian packages that are missing.
need_apt() {
  local missing=() p
  for p in "$@"; do dpkg -s "$p" >/dev/null 2>&1 || missing+=("$p"); done
  [ ${#missing[@]} = 0 ] && return
  retry apt-get -qq update
  DEBIAN_FRONTEND=noninteractive retry apt-get -qq install -y --no-install-recommends "${missing[@]}" >/dev/null
}

alive() { [ -f "$1" ] && kill -0 "$(cat "$1")" 2>/dev/null; }

# Ends the process of a pid file, and waits for it.
stop_pid() {
  alive "$1" || { rm -f "$1"; return 0; }
  local pid; pid=$(cat "$1")
  kill "$pid" 2>/dev/null || true
  for _ in $(seq 120); do kill -0 "$pid" 2>/dev/null || { rm -f "$1"; return 0; }; sleep 0.25; done
  kill -9 "$pid" 2>/dev/null || true; rm -f "$1"
}

wait_for() { # SECONDS COMMAND...: waits until the command succeeds
  local end=$((SECONDS + $1)); shift
  until "$@" >/dev/null 2>&1; do [ $SECONDS -lt $end ] || { echo "gave up waiting for: $*" >&2; return 1; }; sleep 0.3; done
}
