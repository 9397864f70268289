import assert from 'node:assert/strict';
import type { LaunchedServer } from './processes.ts';

/** One line of a scrape. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What a server answers at `/metrics`. */
export interface Scrape {
  readonly text: string;
  readonly samples: readonly Sample[];
  /** The type of each metric by its name; a histogram has samples with other names. */
  readonly types: ReadonlyMap<string, string>;
  /** The value of the only sample with this name and these labels. */
  value(name: string, labels?: Record<string, string>): number;
}

/** Where a server that was started with `METRICS_PORT=0` serves its metrics. */
export async function metricsUrlOf(server: Pick<LaunchedServer, 'logged'>): Promise<string> {
  return (await server.logged('serving metrics')).metricsUrl;
}

export async function scrape(url: string): Promise<Scrape> {
  const response = await fetch(url);
  assert.equal(response.status, 200);
  const text = await response.text();
  const lines = text.split('\n').filter((line) => line !== '');
  const samples = lines.filter((line) => !line.startsWith('#')).map(toSample);
  return {
    text,
    samples,
    types: new Map(
      [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type = '']) => [name, type]),
    ),
    value(name, labels = {}) {
      const found = samples.filter(
        (sample) =>
          sample.name === name &&
          Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
      );
      assert.equal(found.length, 1, `${found.length} samples of ${name} ${JSON.stringify(labels)}`);
      return found[0]?.value ?? Number.NaN;
    },
  };
}

function toSample(line: string): Sample {
  const [, name = '', labels = '', value = ''] = /^([a-z_0-9]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  assert.notEqual(name, '', line);
  const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', text = '']) => [key, text]);
  return { name, labels: Object.fromEntries(pairs), value: Number(value) };
}
