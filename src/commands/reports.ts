import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Db } from '../db/db.ts';
import { Events } from '../events/hints.ts';
import { readKeptPicture } from '../pictures/read-picture.ts';
import { decideReport, findReport, type ListedReport, listReports } from '../reports/decide-report.ts';
import type { ReportedMessage } from '../reports/schemas.ts';
import { type Context, withDatabase } from './context.ts';
import { type Options, UsageError } from './run.ts';
import { readSuspension } from './user.ts';

const PAGE_REPORTS = 20;

/** `reports [--open]`: the oldest first. */
export function reports(context: Context, _words: string[], { open }: Options): Promise<void> {
  return withDatabase(context, async (db) => {
    for (let after: Pick<ListedReport, 'at' | 'id'> | undefined = { at: 0, id: '' }; after; ) {
      const page: ListedReport[] = await listReports(db, {
        isOpen: open === true,
        after,
        limit: PAGE_REPORTS,
      });
      context.output.write(page.map(lineOf).join(''));
      after = page[PAGE_REPORTS - 1];
    }
  });
}

/** `report ID`, and `--act dismiss|suspend --note TEXT [--until TIME]`, or `--pictures FOLDER`. */
export async function report(context: Context, [id]: string[], options: Options): Promise<void> {
  const { act, pictures } = options;
  const isDecision = act !== undefined || options.note !== undefined || options.until !== undefined;
  if (id === undefined || (isDecision && (act === undefined || pictures !== undefined)))
    throw new UsageError();
  if (act !== undefined && act !== 'dismiss' && act !== 'suspend')
    throw new UsageError('--act must be dismiss or suspend');
  if (act !== undefined && !options.note) throw new UsageError('--note must say why');
  if (act === 'dismiss' && options.until !== undefined)
    throw new UsageError('--until is for --act suspend alone');
  const { reason: note, until } = readSuspension(options, 'note');
  return withDatabase(context, async (db, { smtp }) => {
    const found = await findReport(db, id);
    if (!found)
      throw new Error(`there is no report with the id ${JSON.stringify(id)}: reports shows the ids`);
    if (typeof pictures === 'string') return writePictures(context, db, found.messages, pictures);
    if (act === undefined) {
      context.output.write(`${JSON.stringify(found, null, 2)}\n`);
      return;
    }
    const inboxes = { db, events: new Events() };
    const holds = await decideReport(inboxes, found, { act, note, until }, Date.now(), smtp !== null);
    if (!holds) throw new Error(`report ${id} was decided on before: report ${id} shows how`);
    const { reported, reported_id: userId } = found;
    const end = holds.until === null ? '' : ` until ${toTime(holds.until)}`;
    const done = act === 'suspend' ? `suspended ${reported} (${userId})${end}` : 'dismissed';
    context.output.write(`report ${id}: ${done}\n`);
  });
}

/** Writes the pictures of reported messages into a folder, each by the number of its message. */
async function writePictures(
  { output }: Context,
  db: Db,
  messages: readonly ReportedMessage[],
  folder: string,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const { n, picture } of messages) {
    if (!picture) continue;
    const found = await readKeptPicture(db, picture.id);
    const file = join(folder, `${n}.${picture.type.slice('image/'.length)}`);
    if (found) await writeFile(file, found.pieces, { mode: 0o600 });
    output.write(found ? `${file}\n` : `the picture of message ${n} was removed\n`);
  }
}

function lineOf({ id, at, decided_at, act, reason, copies, reported, reporter }: ListedReport): string {
  const state = decided_at === null ? 'open' : (act ?? 'account deleted');
  const about = `${reported || 'a deleted user'}, from ${reporter ?? 'a deleted user'}`;
  return `${id}  ${toTime(at)}  ${state.padEnd(15)}  ${reason.padEnd(13)}  messages: ${copies}  ${about}\n`;
}

function toTime(ms: number): string {
  return new Date(ms).toISOString();
}
