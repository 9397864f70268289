import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { SchemaDb } from '../../src/db/db.ts';
import { migrate } from '../../src/db/migrate.ts';

/** A file of the repository, by its path from the root. */
interface File {
  readonly path: string;
  readonly text: string;
  /** The same with each sentence of a comment on one line. */
  readonly unwrapped: string;
}

const GENERATED = new Set(readFileSync('.gitignore', 'utf8').split('\n'));
const isWritten = (path: string) => !/(^|\/)(node_modules|dist|screenshots)\//.test(path);

function read(pattern: string): File[] {
  const paths = globSync(pattern).filter(isWritten).sort();
  assert.ok(paths.length > 0, `nothing is found by ${pattern}`);
  return paths.map((path) => {
    const text = readFileSync(path, 'utf8');
    return { path, text, unwrapped: text.replaceAll(/\s*\n\s*(?:\*(?!\/)|\/\/)?\s*/g, ' ') };
  });
}

/** This file is left out: it spells what it looks for. */
const sources = read('{src,client,web,test,bench,scripts,docs}/**/*.{ts,tsx,mjs,js,css,html}').filter(
  ({ path }) => !path.endsWith('documents/references.test.ts'),
);
const documents = read('{*.md,client/*.md,deploy/*.md,docs/**/*.md}').filter(
  ({ path }) => path !== 'CHANGELOG.md',
);
/** Decisions are history: they name paths and functions as these were. */
const currentDocuments = documents.filter(({ path }) => !path.startsWith('docs/decisions/'));

/** @returns what `find` objects to in each file, with the file's path */
function objections(files: readonly File[], find: (file: File) => readonly string[]): string[] {
  return files.flatMap((file) => find(file).map((objection) => `${file.path}: ${objection}`));
}

function withoutCode(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```/gm, '');
}

function headings(path: string): string[] {
  const lines = withoutCode(readFileSync(path, 'utf8')).matchAll(/^#+ (.*)$/gm);
  return [...lines].map(([, heading = '']) => heading.replaceAll('`', ''));
}

/** Numbers of a document's sections, and of the points of a list in a section: point 5 of section 5 is 5.5. */
function sectionNumbers(path: string): Set<string> {
  const numbers = new Set<string>();
  let section = '';
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const heading = /^#+ (\d+(?:\.\d+)*)/.exec(line)?.[1];
    const point = /^(\d+)\. /.exec(line)?.[1];
    if (heading !== undefined) section = heading;
    if (heading !== undefined) numbers.add(heading);
    else if (point !== undefined) numbers.add(`${section}.${point}`);
  }
  return numbers;
}

/** As GitHub makes the anchor of a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

const NUMBERED = new Map(
  ['interface', 'architecture'].map((name) => [name, sectionNumbers(`docs/${name}.md`)] as const),
);
const everything = [...sources, ...documents];
const architecture = readFileSync('docs/architecture.md', 'utf8');

test('sections of the contract and of the architecture that are cited exist', () => {
  const cited = /\b(interface|architecture) (\d+(?:\.\d+)*(?:(?:, | and )\d+(?:\.\d+)*\b)*)/gi;
  const wrong = objections(everything, ({ unwrapped }) =>
    [...unwrapped.matchAll(cited)].flatMap(([, name = '', list = '']) =>
      list
        .split(/, | and /)
        .filter((number) => !NUMBERED.get(name.toLowerCase())?.has(number))
        .map((number) => `there is no ${name} ${number}`),
    ),
  );
  assert.deepEqual(wrong, []);
});

test('documents, their sections, decisions and promises that are cited exist', () => {
  const promises = new Set(readFileSync('README.md', 'utf8').match(/(?<=^\| )\d+(?= \|)/gm));
  const wrong = objections(everything, ({ unwrapped }) => {
    const found = [];
    for (const [, path = '', section] of unwrapped.matchAll(
      /(?<![\w/.])((?:docs\/[\w/-]+|README|CONTRIBUTING|CHANGELOG)\.md)\b(?:`?, ["`]?([\w ]+?)["`]?(?=\)))?/g,
    )) {
      if (!existsSync(path)) found.push(`there is no ${path}`);
      else if (section !== undefined && !headings(path).map(anchorOf).includes(anchorOf(section)))
        found.push(`${path} has no section "${section}"`);
    }
    for (const [, number] of unwrapped.matchAll(/\bdecisions? (\d+)/gi))
      if (globSync(`docs/decisions/${number}-*.md`).length === 0)
        found.push(`there is no decision ${number}`);
    for (const [, number = ''] of unwrapped.matchAll(/\bpromise (\d+)/g))
      if (!promises.has(number)) found.push(`there is no promise ${number}`);
    return found;
  });
  assert.deepEqual(wrong, []);
});

test('files that comments and documents name exist', () => {
  const paths = sources.map(({ path }) => `/${path}`);
  const named = /(?<![\w/.@*-])(?:\.?\/)?([\w./-]+\.(?:tsx?|mjs|css))\b/g;
  const inCode = /`([^`\n]+)`/g;
  const inFileNames = /`([\w/-]+\.(?:tsx?|mjs))(?::\d+)?`/g; // In sources, other backticks are template strings.
  const namesOf = ({ text }: File, code: RegExp) =>
    [...withoutCode(text).matchAll(code)].flatMap(([, found = '']) =>
      [...found.matchAll(named)].map(([, name = '']) => name),
    );
  const wrongIn = (files: readonly File[], code: RegExp) =>
    objections(files, (file) =>
      namesOf(file, code)
        .filter((name) => !paths.some((path) => path.endsWith(`/${name}`)))
        .map((name) => `there is no ${name}`),
    );
  assert.deepEqual([...wrongIn(sources, inFileNames), ...wrongIn(currentDocuments, inCode)], []);
});

test('RFCs are cited by number, as RFC 6455', () => {
  const wrong = objections(
    everything,
    ({ text }) => text.match(/\bRFC(?:\d|[-#:]|[ ]+(?:\d{1,2}|\d{6,})\b)\S*/g) ?? [],
  );
  assert.deepEqual(wrong, []);
});

test('nothing cites a document outside the repository', () => {
  const wrong = objections(
    everything,
    ({ text }) => text.match(/\b(?:DESIGN|STYLE|house-plan)\b.{0,20}/g) ?? [],
  );
  assert.deepEqual(wrong, []);
});

test('links of documents lead to files and headings that exist', () => {
  const link = /\]\(([^)\s]+)\)|src="([^"]+)"/g;
  const wrong = objections(documents, ({ path, text }) =>
    [...withoutCode(text).matchAll(link)].flatMap(([, target = '', image]) => {
      const [file = '', anchor] = (image ?? target).split('#');
      if (/^[a-z]+:/.test(file)) return [];
      const to = file === '' ? path : join(dirname(path), file);
      if (!existsSync(to)) return [`there is no ${to}`];
      if (anchor === undefined || headings(to).map(anchorOf).includes(anchor)) return [];
      return [`${to} has no heading #${anchor}`];
    }),
  );
  assert.deepEqual(wrong, []);
});

test('paths that documents name exist', () => {
  const named = /(?<![\w/.@-])(?:src|client|web|test|bench|scripts|docs)\/[\w./*-]*/g;
  const wrong = objections(currentDocuments, ({ text }) =>
    [...withoutCode(text).matchAll(/`([^`\n]+)`/g)]
      .flatMap(([, code = '']) => code.match(named) ?? [])
      .map((path) => path.replace(/[.]$/, ''))
      .filter((path) => !GENERATED.has(path) && globSync(path).length === 0)
      .map((path) => `there is no ${path}`),
  );
  assert.deepEqual(wrong, []);
});

test('functions, classes, tables and words that documents name are in the sources', () => {
  const wordsOf = (files: readonly File[]) => new Set(files.flatMap(({ text }) => text.match(/\w+/g) ?? []));
  const current = sources.filter(({ path }) => !path.includes('/migrations/'));
  const anywhere = wordsOf(current);
  const inService = wordsOf(
    current.filter(({ path }) => path.startsWith('src/') && !path.endsWith('.test.ts')),
  );
  const named = /`([a-z]+(?:[A-Z]\w*|_\w+)|[A-Z]\w*[a-z]\w*)(?:\([^`\n]*\))?`/g;
  // A running service is asked for the names of metrics, of which the sources have only parts (metrics.test.ts).
  const documents = currentDocuments.filter(({ path }) => path !== 'docs/metrics.md');
  const missing = objections(documents, ({ path, text }) =>
    [...withoutCode(text).matchAll(named)]
      .map(([, word = '']) => word)
      .filter((word) => !(path === 'docs/architecture.md' ? inService : anywhere).has(word)),
  );
  assert.deepEqual(missing, []);
});

test('each file in the walks of web.md and the architecture has what is named with it', () => {
  const walks = { 'docs/web.md': 'web/src/', 'docs/architecture.md': '' };
  const title = /^## (?:A new message|5\. A message), from [\s\S]*?(?=^## )/m;
  const pairs = /((?:`\w+`(?:, | and )?)+)(?: of `\w+`)? in `([\w/.-]+\.tsx?)`/g;
  const found = Object.entries(walks).flatMap(([document, folder]) => {
    const [walk = ''] = title.exec(readFileSync(document, 'utf8')) ?? [];
    return [...walk.matchAll(pairs)].flatMap(([, names = '', path = '']) => {
      const file = path.startsWith('client/') || path.startsWith('src/') ? path : folder + path;
      const text = readFileSync(file, 'utf8');
      return [...names.matchAll(/\w+/g)].map(([name]) => ({ name, file, text }));
    });
  });
  assert.ok(found.length > 40, String(found.length));
  const missing = found.filter(({ name, text }) => !new RegExp(`\\b${name}\\b`).test(text));
  assert.deepEqual(
    missing.map(({ name, file }) => `${file} has no ${name}`),
    [],
  );
});

test('the table map of the architecture has every table and no other', async () => {
  using db = new DatabaseSync(':memory:');
  const tx = { all: async () => [], run: async () => 1, script: async (text: string) => db.exec(text) };
  await migrate({
    kind: 'sqlite',
    changeSchema: (body: (tx: object) => unknown) => body(tx),
  } as unknown as SchemaDb); // all that it uses
  const tables = db.prepare(`select name from sqlite_schema where type = 'table' order by name`).all();
  const [section = ''] = /^## 3\. Tables$[\s\S]*?(?=^## )/m.exec(architecture) ?? [];
  const mapped = [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  assert.deepEqual(
    mapped.sort(),
    tables.map(({ name }) => name),
  );
});
