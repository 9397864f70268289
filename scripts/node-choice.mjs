// Which Node runs the service: the one of the lock file, or the machine's own where that one cannot run (musl, as on Alpine; Macs
// with Intel processors; a library that is missing). npm scripts take node_modules/.bin/node before that of the PATH.
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** The first that runs TypeScript and `await using` as they are, and that the tests were run on. */
const OLDEST_MAJOR = 24;
const isWindows = process.platform === 'win32';

/** The Node of the lock file. @param bin the folder `node_modules/.bin` */
export function pinnedNode(bin) {
  return join(bin, isWindows ? 'node.cmd' : 'node');
}

/**
 * Removes the Node of the lock file from the folder if this machine cannot execute it, so that npm scripts find the machine's own.
 *
 * @returns why it was removed
 */
export function removeUnusableNode(bin) {
  const pinned = pinnedNode(bin);
  if (!existsSync(pinned)) return undefined;
  const { status, error, stderr } = spawnSync(pinned, ['--version'], { encoding: 'utf8', shell: isWindows });
  if (status === 0) return undefined;
  for (const name of ['node', 'node.cmd', 'node.ps1']) rmSync(join(bin, name), { force: true });
  // ENOENT of a file that exists: its loader is missing, as on a system with another C library.
  if (error?.code === 'ENOENT') return 'it is made for another C library';
  return error?.code ?? stderr.trim().split('\n', 1)[0];
}

/**
 * @param own the version of the machine's own Node, such as `24.1.0`
 * @param reason why there is none of the lock file, if known
 * @returns what to do if neither can run the service, in one line
 */
export function findNodeFault(bin, own, reason) {
  if (existsSync(pinnedNode(bin)) || Number.parseInt(own, 10) >= OLDEST_MAJOR) return undefined;
  const why = reason === undefined ? '' : ` (${reason})`;
  return `Install Node.js ${OLDEST_MAJOR} or later: the Node that npm installs does not run on this machine${why}, and its own is ${own}.`;
}
