#!/bin/bash
# Tries the image as a container runtime would run it: user 10001 without capabilities, PID 1 of its own, /data alone writable.
#   sudo deploy/try-image.sh FOLDER    the unpacked files of the image, by `buildah mount` or `docker export | tar --extract`
# Needs unshare, setpriv, chroot and curl. Ends at the first step that fails.
set -euo pipefail
root=$(realpath "$1")
work=$(mktemp --directory)
server=''
export HOST=127.0.0.1 PORT=${PORT:-4931}
trap 'kill -KILL $server 2> /dev/null || true; rm --recursive --force "$work"' EXIT

# Runs a command in the image: image DATA COMMAND...
image() {
  unshare --mount --pid --fork --kill-child bash -c '
    set -e; root=$1 data=$2; shift 2
    mount --make-rprivate /
    mount --bind "$root" "$root" && mount --bind "$data" "$root/data" && mount --types proc proc "$root/proc"
    mount --options remount,bind,ro "$root"
    cd "$root"
    exec env --ignore-environment PATH=/usr/local/bin DATA_DIR=/data HOST="$HOST" PORT="$PORT" RATE_LIMIT_AUTH=off /usr/bin/setpriv --no-new-privs --bounding-set=-all,+sys_chroot,+setuid,+setgid \
      /usr/sbin/chroot --userspec=10001:10001 --groups= "$root" /usr/local/bin/node --input-type=module --eval "
        import { execve, chdir } from \"node:process\";
        chdir(\"/app\");
        const [file, ...words] = process.argv.slice(1);
        execve(file, [file, ...words], process.env);
      " "$@"' image "$root" "$@"
}
serve() {
  image "$work/data" /usr/local/bin/node src/main.ts > "$work/log" 2>&1 &
  unshare=$!
  for _ in $(seq 100); do
    grep --quiet '"serving"' "$work/log" && break
    sleep 0.2
  done
  server=$unshare
  while child=$(pgrep --parent "$server"); do server=$child; done
  grep --quiet '"serving"' "$work/log" && return
  cat "$work/log"
  return 1
}
healthy() { image "$work/data" /usr/local/bin/doorman health; }
post() { curl --silent --header 'content-type: application/json' --data "$2" "http://127.0.0.1:$PORT/api/$1"; }
say() { printf '%-42s %s\n' "$1" "$2"; }

say 'unpacked, bytes' "$(du --summarize --bytes "$root" | cut --fields=1)"
install --directory --owner=10001 --group=10001 --mode=700 "$work/data"
serve
say 'health of a serving one' "$(healthy), exit $?"
say 'user and capabilities of PID 1' "$(grep --extended-regexp '^(Uid|CapEff|NoNewPrivs|NSpid)' /proc/"$server"/status | tr --squeeze-repeats '\t\n' '  ')"
say 'writing to /app' "$(image "$work/data" /usr/local/bin/node --eval 'require("fs").writeFileSync("/app/x", "")' 2>&1 | grep ^Error)"
say 'register' "$(post register '{"username":"alice","password":"wonderland"}' | cut --characters=1-60)"
say 'page' "$(curl --silent --output /dev/null --write-out '%{http_code} %{size_download} bytes' "http://127.0.0.1:$PORT/")"

# A call that is under way at the stop is answered.
exec 3<> "/dev/tcp/127.0.0.1/$PORT"
printf 'POST /api/login HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 44\r\n\r\n{"username":"alice"' >&3
sleep 0.5
kill -TERM "$server"
sleep 0.5
printf ',"password":"wonderland"}' >&3
say 'a call that was under way' "$(head --lines=1 <&3)"
code=0 && wait "$unshare" || code=$?
say 'SIGTERM to PID 1' "exit $code, last line $(tail --lines=1 "$work/log" | grep --only-matching '"msg":.*')"
code=0 && answer=$(healthy 2>&1) || code=$?
say 'health of a stopped one' "$answer, exit $code"
[ $code = 1 ]

serve
say 'sign in after a restart' "$(post login '{"username":"alice","password":"wonderland"}' | cut --characters=1-60)"
# A process whose parent ends becomes a child of PID 1, which must not keep it as a zombie.
nsenter --target "$server" --mount --pid --root /usr/local/bin/node --eval '
  const { spawn } = require("node:child_process");
  spawn(process.execPath, ["--eval", "setTimeout(() => {}, 500)"], { detached: true, stdio: "ignore" }).unref();'
sleep 2
say 'zombies of orphans, without an init' "$(ps --no-headers --format stat --ppid "$server" | grep --count Z || true)"
kill -TERM "$server"
wait "$unshare"

chown 0:0 "$work/data"
code=0 && answer=$(image "$work/data" /usr/local/bin/node src/main.ts 2>&1) || code=$?
say 'a folder that it may not write' "$answer, exit $code"
[ $code = 1 ]
