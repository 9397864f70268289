import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'yaml';
import { describeSocket } from '../../scripts/asyncapi.ts';
import { describeRoutes } from '../../src/health/openapi.ts';
import { runCommand } from '../commands.ts';

const read = (path: string) => readFileSync(path, 'utf8');
const { version } = JSON.parse(read('package.json'));

test('the service, the kit, the lock file, the descriptions and the changelog have one version', async () => {
  const { packages } = JSON.parse(read('package-lock.json'));
  const [, latest] = /^## (\d+\.\d+\.\d+) - \d{4}-\d{2}-\d{2}$/m.exec(read('CHANGELOG.md')) ?? [];
  const versions = {
    'client/package.json': JSON.parse(read('client/package.json')).version,
    'package-lock.json': packages[''].version,
    'package-lock.json, client': packages.client.version,
    'CHANGELOG.md': latest,
    '/asyncapi.yaml': parse(describeSocket()).info.version,
    'docs/client.md': /doorman-client-([\d.]+)\.tgz/.exec(read('docs/client.md'))?.[1],
    '/openapi.json': JSON.parse(await describeRoutes([])).info.version,
  };
  assert.match(version, /^\d+\.\d+\.\d+$/);
  for (const [place, found] of Object.entries(versions)) assert.equal(found, version, place);
  for (const word of ['--version', '-v', 'version'])
    assert.deepEqual(await runCommand({}, [word]), { code: 0, output: `${version}\n`, errors: '' });
});

test('the changelog has what comes, and then each version, by kind', () => {
  const headings = [...read('CHANGELOG.md').matchAll(/^## (.*)$/gm)].map(([, heading = '']) => heading);
  assert.equal(headings[0], 'Unreleased');
  const dates = headings
    .slice(1)
    .map((heading) => /^\d+\.\d+\.\d+ - (\d{4}-\d{2}-\d{2})$/.exec(heading)?.[1] ?? '');
  assert.deepEqual(dates, dates.toSorted().reverse(), 'the newest version first, each with its day');
  assert.ok(
    dates.every((date) => date !== ''),
    headings.join(),
  );
  for (const version of read('CHANGELOG.md').split(/^## /m).slice(1)) {
    const kinds = [...version.matchAll(/^### (.*)$/gm)].map(([, kind = '']) => kind);
    const known = ['Added', 'Changed', 'Fixed', 'Removed', 'Security'];
    assert.deepEqual(
      kinds,
      known.filter((kind) => kinds.includes(kind)),
      version.slice(0, 20),
    );
  }
});

test('only the kit can be published as a package, and only as it is built', () => {
  assert.equal(JSON.parse(read('package.json')).private, true);
  assert.equal(JSON.parse(read('client/package.json')).private, true);
});
