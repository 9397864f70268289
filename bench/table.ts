import type { Micros } from './measure.ts';

/** One line of the table: the results of ours and of bare, a number with its target, and what an operation costs. */
export interface Line {
  readonly work: string;
  readonly ours: string;
  readonly bare: string;
  /** Ours by bare; left out where only ours is measured. */
  readonly ratio?: number;
  readonly target?: Target;
  readonly micros?: Micros;
}

/** A result with its bounds: a `ratio` should be high, everything else low. */
export interface Target {
  readonly value: number;
  readonly unit: 'ratio' | 'times' | 'ms' | 'MB';
  readonly floor: number;
  readonly aim: number;
}

/** The last four: processor time of one operation in microseconds. */
const HEAD = [
  'work',
  'ours',
  'bare',
  'ratio',
  'floor',
  'aim',
  'verdict',
  'service µs',
  'database µs',
  'redis µs',
  'bare µs',
];

/** The lines as a table in Markdown, its columns aligned. */
export function toTable(lines: readonly Line[]): string {
  const rows = [HEAD, ...lines.map(toCells)];
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const [head, ...rest] = rows.map(
    (row) => `| ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`,
  );
  return [head, `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...rest].join('\n');
}

function toCells({ work, ours, bare, ratio, target, micros = {} }: Line): string[] {
  const bounds = target
    ? [bound(target, target.floor), bound(target, target.aim), verdict(target)]
    : ['', '', ''];
  const costs = [micros.service, micros.database, micros.redis, micros.bare].map(toMicros);
  return [work, ours, bare, ratio === undefined ? '' : ratio.toFixed(2), ...bounds, ...costs];
}

function toMicros(micros: number | undefined): string {
  if (micros === undefined || Number.isNaN(micros)) return '';
  return micros >= 100 ? Math.round(micros).toLocaleString('en-US') : micros.toFixed(1);
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
