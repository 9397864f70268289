/** One line of the table: what ours and the barest came to, and which number is judged. */
export interface Line {
  readonly work: string;
  readonly ours: string;
  readonly bare: string;
  /** Ours by bare; missing where only ours is measured. */
  readonly ratio?: number;
  readonly judged?: Judged;
}

/** A number with its bounds: a `ratio` is good when it is high, everything else when it is low. */
export interface Judged {
  readonly value: number;
  readonly unit: 'ratio' | 'times' | 'ms' | 'MB';
  readonly floor: number;
  readonly aim: number;
}

const HEAD = ['work', 'ours', 'bare', 'ratio', 'floor', 'aim', 'verdict'];

/** The lines as a table in Markdown, its columns aligned. */
export function toTable(lines: readonly Line[]): string {
  const rows = [HEAD, ...lines.map(toCells)];
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const [head, ...rest] = rows.map(
    (row) => `| ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`,
  );
  return [head, `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...rest].join('\n');
}

function toCells({ work, ours, bare, ratio, judged }: Line): string[] {
  const bounds = judged
    ? [bound(judged, judged.floor), bound(judged, judged.aim), verdict(judged)]
    : ['', '', ''];
  return [work, ours, bare, ratio === undefined ? '' : ratio.toFixed(2), ...bounds];
}

function bound({ unit }: Judged, limit: number): string {
  return unit === 'ratio' ? limit.toFixed(2) : `< ${limit} ${unit}`;
}

function verdict({ value, unit, floor, aim }: Judged): string {
  const reaches = (limit: number) => (unit === 'ratio' ? value >= limit : value < limit);
  return reaches(aim) ? 'aim reached' : reaches(floor) ? 'above the floor' : 'BELOW THE FLOOR';
}

export function perSecond(rate: number): string {
  return `${rate >= 100 ? Math.round(rate).toLocaleString('en-US') : rate.toFixed(1)}/s`;
}

export function milliseconds(ms: number): string {
  return `${ms.toFixed(ms < 10 ? 2 : 0)} ms`;
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
