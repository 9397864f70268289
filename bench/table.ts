/** One line of the table: the results of ours and of bare, and a number with its target. */
export interface Line {
  readonly work: string;
  readonly ours: string;
  readonly bare: string;
  /** Ours by bare; left out where only ours is measured. */
  readonly ratio?: number;
  readonly target?: Target;
}

/** A result with its bounds: a `ratio` should be high, everything else low. */
export interface Target {
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

function toCells({ work, ours, bare, ratio, target }: Line): string[] {
  const bounds = target
    ? [bound(target, target.floor), bound(target, target.aim), verdict(target)]
    : ['', '', ''];
  return [work, ours, bare, ratio === undefined ? '' : ratio.toFixed(2), ...bounds];
}

function bound({ unit }: Target, limit: number): string {
  return unit === 'ratio' ? limit.toFixed(2) : `< ${limit} ${unit}`;
}

function verdict({ value, unit, floor, aim }: Target): string {
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
