import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { onSqlite } from '../databases.ts';
import { linesOf, startExporting } from '../exporting.ts';
import type { Body } from '../harness.ts';

/** Fields whose content is that of another document, or whose names are ids. */
const OPAQUE = ['data', 'detail', 'reactions'];

/** Each field of a value with its path, and the type of what is in it. */
function* fieldsOf(value: unknown, path: string): Generator<[path: string, type: string]> {
  if (Array.isArray(value)) for (const one of value) yield* fieldsOf(one, `${path}[]`);
  else if (typeof value === 'object' && value !== null && !OPAQUE.includes(path.split('.').at(-1) ?? ''))
    for (const [name, inner] of Object.entries(value)) yield* fieldsOf(inner, `${path}.${name}`);
  else yield [path, value === null ? 'null' : typeof value];
}

/** The fields of all lines, sorted; null says nothing of a field that has a value elsewhere. */
function shapeOf(lines: readonly Body[]): string[] {
  const types = new Map<string, Set<string>>();
  for (const [path, type] of lines.flatMap((line) => [...fieldsOf(line, line.type)])) {
    const seen = types.get(path) ?? new Set();
    types.set(path, type === 'null' ? seen : seen.add(type));
  }
  return [...types].map(([path, seen]) => `${path} ${[...seen].sort()}`).sort();
}

onSqlite('docs/export.md', (database) => {
  test('has an example of each type of line, with all fields, in the order of a file', async (t) => {
    const { db, alice, clock, fill, ticketOf, get, upload } = await startExporting(t, database);
    await fill();
    await upload(alice); // one that is not sent
    await db.run`insert into suspensions (user_id, reason, until, at) values (${alice.id}, 'r', ${Number.MAX_SAFE_INTEGER}, 0)`;
    clock.add(1);
    const lines = linesOf((await get(await ticketOf())).text);

    const text = readFileSync('docs/export.md', 'utf8');
    const sections = text.split(/^## /m).flatMap((section) => {
      const [, type] = /^`(\w+)`\n/.exec(section) ?? [];
      const [, examples = ''] = /^```json\n([\s\S]*?)^```/m.exec(section) ?? [];
      return type === undefined ? [] : [{ type, examples: linesOf(examples) }];
    });
    for (const { type, examples } of sections)
      for (const example of examples) assert.equal(example.type, type);
    assert.deepEqual(
      sections.map(({ type }) => type),
      [...new Set(lines.map(({ type }) => type))],
    );
    const [described, found] = [sections.flatMap(({ examples }) => examples), lines].map(shapeOf);
    assert.ok(described && found);
    const withoutNulls = (shape: readonly string[], other: readonly string[]) =>
      shape.map((field) =>
        other.includes(field.replace(/ \w+$/, ' ')) ? field.replace(/ \w+$/, ' ') : field,
      );
    assert.deepEqual(withoutNulls(described, found), withoutNulls(found, described));
  });
});
