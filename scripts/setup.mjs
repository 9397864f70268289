// Brings what a command needs, once; runs on any Node >= 20 and imports nothing but Node. A second run only looks.
//   node scripts/setup.mjs            the packages of the lock file
//   node scripts/setup.mjs --tests    the programs of the tests too
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
installPackages();
if (process.argv.includes('--tests')) installPostgres();

function installPackages() {
  const stamp = join(root, 'node_modules', '.doorman-setup');
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .update(`${process.platform} ${process.arch}`)
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  console.error('Installing packages (once) ...');
  // The npm and the Node that run this script, which are not those inside the folder that is about to be replaced.
  const { npm_execpath: npm, npm_node_execpath: node } = process.env;
  const options = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const [command, first] = npm && node ? [node, [npm]] : ['npm', []];
  const shell = command === 'npm' && process.platform === 'win32';
  const { status } = spawnSync(command, [...first, ...options], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell,
  });
  if (status !== 0) {
    console.error('The packages could not be installed: see what npm says above.');
    process.exit(1);
  }
  writeFileSync(stamp, wanted);
}

/** The tests skip what they cannot have and say how to get it, so nothing here is fatal. */
function installPostgres() {
  if (hasPostgres()) return;
  const isDebianRoot = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
  if (!isDebianRoot) return;
  console.error('Installing PostgreSQL for the tests (once) ...');
  // The tests start a server of their own; the package need not make one.
  const config = '/etc/postgresql-common/createcluster.conf';
  const prepare = existsSync(config)
    ? ''
    : `mkdir -p ${dirname(config)} && echo 'create_main_cluster = false' > ${config} && `;
  const install =
    'apt-get update -q && apt-get install -y -q --no-install-recommends -o Dpkg::Options::=--force-confold postgresql';
  spawnSync('sh', ['-c', prepare + install], {
    stdio: ['ignore', 2, 2],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
}

function hasPostgres() {
  const packaged = '/usr/lib/postgresql';
  const folders = existsSync(packaged)
    ? readdirSync(packaged).map((version) => join(packaged, version, 'bin'))
    : [];
  return [...(process.env.PATH ?? '').split(delimiter), ...folders].some((folder) =>
    existsSync(join(folder, 'initdb')),
  );
}
