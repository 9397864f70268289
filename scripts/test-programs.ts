// Installs what the tests need and is missing: packages of npm, and programs from Debian's packages, where it has the rights.
//   node scripts/test-programs.ts
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { findBrowsers } from '../test/browsers/find-browsers.ts';
import { findProgram } from '../test/deploy/proxies.ts';
import { areToolsInstalled, installTools } from '../test/descriptions/tools.ts';
import { findPython } from '../test/find-python.ts';
import { findPostgres } from '../test/postgres-cluster.ts';
import { findRedis } from '../test/redis-server.ts';

if (!areToolsInstalled()) {
  console.error('Installing packages for the tests of the descriptions (once) ...');
  installTools();
}

const browsers = findBrowsers();
const hasPython = findPython() !== undefined;
/** Whether each package, or an equivalent, is installed. Python is for an example of a document. The fonts are for screenshots: Chinese, and emoji. */
const packages: Record<string, boolean> = {
  postgresql: findPostgres() !== undefined,
  'redis-server': findRedis() !== undefined,
  nginx: findProgram('nginx') !== undefined,
  caddy: findProgram('caddy') !== undefined,
  chromium: browsers.chromium.path !== undefined || isNamed('TEST_CHROMIUM'),
  'firefox-esr': browsers.firefox.path !== undefined || isNamed('TEST_FIREFOX'),
  'python3-jwt': hasPython,
  'python3-cryptography': hasPython,
  'fonts-wqy-microhei': existsSync('/usr/share/fonts/truetype/wqy/wqy-microhei.ttc'),
  'fonts-noto-color-emoji': existsSync('/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf'),
};
const missing = Object.keys(packages).filter((name) => !packages[name]);

// The tests start servers of their own; the packages need not create or start one. Packages that this Debian lacks are left out.
const INSTALL = `
  config=/etc/postgresql-common/createcluster.conf
  test -e $config || { mkdir -p "$(dirname $config)" && echo 'create_main_cluster = false' > $config; }
  policy=/usr/sbin/policy-rc.d
  test -e $policy || { trap "rm $policy" EXIT && printf '#!/bin/sh\\nexit 101\\n' > $policy && chmod +x $policy; }
  apt-get update -q
  for name in "$@"; do
    if apt-cache show "$name" > /dev/null 2>&1; then known="$known $name"; fi
  done
  apt-get install -y -q --no-install-recommends -o Dpkg::Options::=--force-confold $known`;

if (missing.length > 0 && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
  console.error(`Installing ${missing.join(', ')} for the tests (once) ...`);
  const { status } = spawnSync('sh', ['-c', INSTALL, 'install', ...missing], {
    stdio: ['ignore', 2, 2],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  process.exitCode = status ?? 1;
}

/** Whether the setting names a browser, which then need not be installed. */
function isNamed(setting: string): boolean {
  return Boolean(process.env[setting]);
}
