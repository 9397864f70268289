// Writes src/accounts/common-passwords.txt from the list of a newer version of its source:
//   npm pack @zxcvbn-ts/language-common && tar xzf zxcvbn-ts-language-common-*.tgz
//   node_modules/.bin/node scripts/common-passwords.ts package VERSION
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder = '', version = ''] = process.argv.slice(2);
/** What a registration accepts (interface 2.1): shorter ones need no list. */
const LEAST_LENGTH = 6;
const WORDS = 10_000;

const byRank: string[] = JSON.parse(readFileSync(join(folder, 'src/passwords.json'), 'utf8'));
const words = byRank.filter((word) => word.length >= LEAST_LENGTH).slice(0, WORDS);
const licence = readFileSync(join(folder, 'LICENSE.txt'), 'utf8').trim();
const head = [
  `The ${WORDS} most common passwords of at least ${LEAST_LENGTH} characters, in lower case, sorted: a smaller download than by rank.`,
  `From the package @zxcvbn-ts/language-common ${version}, by scripts/common-passwords.ts. Its licence (MIT):`,
  '',
  ...licence.split('\n').map((line) => line.trim()),
];
writeFileSync(
  join(import.meta.dirname, '../src/accounts/common-passwords.txt'),
  `${head.map((line) => `# ${line}`.trim()).join('\n')}\n\n${words.sort().join('\n')}\n`,
);
