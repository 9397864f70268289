// Compares the service with the simplest program that could do the same, in one run (docs/performance.md).
//   npm run bench                               about five minutes
//   npm run bench -- --quick                    under a minute, to check that it works
//   npm run bench -- --all                      also a million users, and ten thousand connections
//   npm run bench -- --only=login,push          some rows
//   npm run bench -- --patient                  on a shared machine: waits until it is idle before each round
//   npm run bench -- --cpu-prof=FOLDER          CPU profiles of the server, one a row; see cpu-profile.ts
import { parseArgs } from 'node:util';
import { describeLoad, describeMachine } from './machine.ts';
import { EFFORTS, type Effort } from './measure.ts';
import { authenticatedCall, authenticatedCallOnPostgres } from './rows/authenticated-call.ts';
import { changes, changesOnPostgres } from './rows/changes.ts';
import { connections } from './rows/connections.ts';
import { durableWrites } from './rows/durable-writes.ts';
import { exports, exportsOnPostgres } from './rows/exports.ts';
import { flood } from './rows/flood.ts';
import { fullList } from './rows/full-list.ts';
import { growth } from './rows/growth.ts';
import { imports, importsOnPostgres } from './rows/imports.ts';
import { login } from './rows/login.ts';
import {
  acknowledgedMessages,
  acknowledgedMessagesOnPostgres,
  messages,
  messagesOnPostgres,
} from './rows/messages.ts';
import { acknowledgedOverNodes, messagesOverNodes } from './rows/nodes.ts';
import { pictures, picturesOnPostgres } from './rows/pictures.ts';
import { publicProfile } from './rows/public-profile.ts';
import { push } from './rows/push.ts';
import { search, searchOnPostgres } from './rows/search.ts';
import { stall } from './rows/stall.ts';
import { standstill } from './rows/standstill.ts';
import { start } from './rows/start.ts';
import { tenThousand } from './rows/ten-thousand.ts';
import { type Line, toTable } from './table.ts';

const PATIENCE_SECONDS = 20;
/** Rows that take long: measured with `--all`, or by name. */
const LONG_ROWS = [
  'changes',
  'postgres-changes',
  'nodes-messages',
  'nodes-acknowledged',
  'pictures',
  'postgres-pictures',
  'search',
  'postgres-search',
  'export',
  'postgres-export',
  'growth',
  'standstill',
  'tenthousand',
  'import',
  'postgres-import',
];

/** @param profileFolder where the server writes a CPU profile, if given */
type Row = (effort: Effort, profileFolder?: string) => Promise<Line[]>;

const rows: Record<string, Row> = {
  profile: publicProfile,
  authenticated: authenticatedCall,
  login,
  list: fullList,
  connections,
  messages,
  acknowledged: acknowledgedMessages,
  push,
  start,
  writes: durableWrites,
  stall,
  'postgres-authenticated': authenticatedCallOnPostgres,
  'postgres-messages': messagesOnPostgres,
  'postgres-acknowledged': acknowledgedMessagesOnPostgres,
  flood,
  changes,
  'postgres-changes': changesOnPostgres,
  'nodes-messages': messagesOverNodes,
  'nodes-acknowledged': acknowledgedOverNodes,
  pictures,
  'postgres-pictures': picturesOnPostgres,
  search,
  'postgres-search': searchOnPostgres,
  growth,
  standstill,
  tenthousand: tenThousand,
  export: exports,
  'postgres-export': exportsOnPostgres,
  import: imports,
  'postgres-import': importsOnPostgres,
};

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    tiny: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    patient: { type: 'boolean', default: false },
    only: { type: 'string' },
    'cpu-prof': { type: 'string' },
  },
});
const effort = {
  ...EFFORTS[options.tiny ? 'tiny' : options.quick ? 'quick' : 'full'],
  ...(options.patient && { patienceSeconds: PATIENCE_SECONDS }),
};
const names =
  options.only?.split(',') ?? Object.keys(rows).filter((name) => options.all || !LONG_ROWS.includes(name));

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const load = describeLoad();
const lines: Line[] = [];
for (const name of names) {
  const row = rows[name];
  if (!row) throw new Error(`no row is called ${name}; there are ${Object.keys(rows).join(', ')}`);
  process.stderr.write(`${name} ...\n`);
  lines.push(...(await row(effort, options['cpu-prof'])));
}
console.log(`\n${describeMachine()}; ${load}\n\n${toTable(lines)}`);
