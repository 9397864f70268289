// Installs what a command needs, once; runs on any Node >= 20 and imports nothing that has to be installed. A second run
// only checks. The service then runs on the Node of the lock file, or on the machine's own (node-choice.mjs).
//   node scripts/setup.mjs              the packages of the lock file, the page and the description of the socket
//   node scripts/setup.mjs --no-page    the packages alone
//   node scripts/setup.mjs --tests      the programs of the tests too
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isSocketDescribed } from './asyncapi-build.mjs';
import { findNodeFault, pinnedNode, removeUnusableNode } from './node-choice.mjs';
import { isPageBuilt } from './page-build.mjs';
import { root } from './sources.mjs';

const bin = join(root, 'node_modules', '.bin');
const isWindows = process.platform === 'win32';
/** Two servers that are started at the same moment from one folder set it up one after the other. */
const lock = join(tmpdir(), `doorman-setup-${createHash('sha256').update(root).digest('hex').slice(0, 16)}`);
if (!arePackagesInstalled()) alone(installPackages);
refuseOldNode();
if (!process.argv.includes('--no-page')) {
  if (!isPageBuilt()) alone(buildPage);
  if (!isSocketDescribed()) alone(describeSocket);
}
// The tests skip what is missing and say how to get it, so a failure here is not fatal.
if (process.argv.includes('--tests')) runWithOurNode('scripts/test-programs.ts');

/** Runs `work` while no other process does the same for this folder. The lock of a process that has ended is removed. */
function alone(work) {
  const own = `${lock}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  while (!takeLock(own)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  const free = () => rmSync(lock, { force: true });
  process.once('exit', free);
  work();
  process.off('exit', free);
  free();
}

/** A link, so that the lock never exists without the id of its process. */
function takeLock(own) {
  try {
    linkSync(own, lock);
    rmSync(own);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (!isHeld()) rmSync(lock, { force: true });
    return false;
  }
}

function isHeld() {
  try {
    return isRunning(Number(readFileSync(lock, 'utf8')));
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return true; // until a moment ago
  }
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function stampOfPackages() {
  const path = join(root, 'node_modules', '.doorman-setup');
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .update(`${process.platform} ${process.arch}`)
    .digest('hex');
  return { path, wanted };
}

function arePackagesInstalled() {
  const { path, wanted } = stampOfPackages();
  return existsSync(path) && readFileSync(path, 'utf8') === wanted;
}

function installPackages() {
  if (arePackagesInstalled()) return; // by another process meanwhile
  console.error('Installing packages (once) ...');
  // The npm and the Node that run this script, which are not those inside the folder that is about to be replaced.
  const { npm_execpath: npm, npm_node_execpath: node } = process.env;
  // The page is built here, so the tools that build it are needed in production too.
  const options = ['ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const [command, first] = npm && node ? [node, [npm]] : ['npm', []];
  const shell = command === 'npm' && isWindows;
  const { status } = spawnSync(command, [...first, ...options], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell,
  });
  if (status !== 0) {
    console.error('The packages could not be installed: see what npm says above.');
    process.exit(1);
  }
  const reason = removeUnusableNode(bin);
  // Without the stamp, the next run installs again: what was missing may be there by then.
  refuseOldNode(reason);
  const { path, wanted } = stampOfPackages();
  writeFileSync(path, wanted);
  if (reason !== undefined)
    console.error(
      `Node ${process.versions.node} of this machine is used, as the installed one does not run: ${reason}.`,
    );
}

/** This script runs on the machine's own Node where there is none of the lock file. */
function refuseOldNode(reason) {
  const fault = findNodeFault(bin, process.versions.node, reason);
  if (fault === undefined) return;
  console.error(fault);
  process.exit(1);
}

function buildPage() {
  if (isPageBuilt()) return; // by another process meanwhile
  console.error('Building the page (once) ...');
  if (runWithOurNode('scripts/page-build.mjs')) return;
  console.error('The page could not be built: see what is said above.');
  process.exit(1);
}

function describeSocket() {
  if (isSocketDescribed() || runWithOurNode('scripts/asyncapi-build.mjs')) return;
  console.error('The socket could not be described: see what is said above.');
  process.exit(1);
}

/** Runs a script on the Node of the lock file, if there is one for this machine. @returns whether it succeeded */
function runWithOurNode(script) {
  const ours = pinnedNode(bin);
  const [command, shell] = existsSync(ours) ? [ours, isWindows] : [process.execPath, false];
  const { status } = spawnSync(command, [script], { cwd: root, stdio: ['ignore', 2, 2], shell });
  return status === 0;
}
