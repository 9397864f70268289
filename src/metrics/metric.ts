import type { Durations } from '../db/durations.ts';

export interface Sample {
  readonly value: number;
  readonly labels?: Readonly<Record<string, string>>;
}

/** A counter or gauge that is read when it is scraped. */
export interface Metric {
  readonly name: string;
  readonly kind: 'counter' | 'gauge';
  readonly help: string;
  readonly labels?: readonly string[];
  /** No samples: it is not known. */
  readonly read: () => readonly Sample[] | Promise<readonly Sample[]>;
}

export interface DurationMetric {
  readonly name: string;
  readonly help: string;
  /** The names of the words of which a kind of {@link Durations} consists. */
  readonly labels: readonly string[];
  readonly durations: Durations;
}

export function one(value: number): Sample[] {
  return [{ value }];
}

/** The samples of a record, its keys as the values of `label`. */
export function byLabel(label: string, values: Readonly<Record<string, number>>): Sample[] {
  return Object.entries(values).map(([key, value]) => ({ labels: { [label]: key }, value }));
}
