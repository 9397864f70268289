import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';

/** A folder with a project of one file in each of these folders. */
async function makeProjects(t: TestContext, sources: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'doorman-types-'));
  t.after(() => rm(folder, { recursive: true }));
  for (const [name, source] of Object.entries(sources)) {
    await mkdir(join(folder, name));
    await writeFile(
      join(folder, name, 'tsconfig.json'),
      '{"compilerOptions":{"types":[],"lib":["es5"],"skipLibCheck":true}}',
    );
    await writeFile(join(folder, name, 'file.ts'), source);
  }
  return folder;
}

/** Runs the type checks as `npm run types` does. @returns the exit code and what is printed */
function check(folder: string, ...named: string[]): [number | null, string] {
  const script = fileURLToPath(new URL('./types.mjs', import.meta.url));
  const { status, stdout } = spawnSync(process.execPath, [script, ...named], {
    cwd: folder,
    encoding: 'utf8',
  });
  return [status, stdout];
}

test('each project that fails is printed under its name, in later runs too, until it is fixed', async (t) => {
  const folder = await makeProjects(t, {
    one: 'export const one: number = 1;',
    two: "export const two: number = 'two';",
    six: "export const six: number = 'six';",
  });
  const error = "file.ts(1,14): error TS2322: Type 'string' is not assignable to type 'number'.";
  const six = `six/tsconfig.json:\nsix/${error}\n\n`;
  const two = `two/tsconfig.json:\ntwo/${error}\n\n`;
  assert.deepEqual(check(folder), [1, `${six}${two}2 of 3 failed\n`]);
  assert.deepEqual(check(folder), [1, `${six}${two}2 of 3 failed\n`]);
  await writeFile(join(folder, 'two/file.ts'), "export const two: string = 'two';");
  assert.deepEqual(check(folder), [1, `${six}1 of 3 failed\n`]);
  assert.deepEqual(check(folder, 'one', 'two'), [0, '2 passed\n']);
});

test('a run without a project fails', async (t) => {
  assert.deepEqual(check(await makeProjects(t, {})), [1, '0 passed\n']);
});
