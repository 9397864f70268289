import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { runCommand } from '../../test/commands.ts';
import { onSqlite } from '../../test/databases.ts';
import { settingsOf } from '../../test/processes.ts';
import { quoteWord } from './backup.ts';
import { toPrintable } from './printable.ts';

/** A terminal obeys these, or shows what follows in another order. */
const UNPRINTABLE = /[^\P{Cc}\n\t]|\p{Bidi_Control}/u;
const CONTROLS = '\u007f\u0080\u009b31m\u009f\u061c\u200e\u200f\u202a\u202e\u2066\u2069';
const ESCAPED = '\\u007f\\u0080\\u009b31m\\u009f\\u061c\\u200e\\u200f\\u202a\\u202e\\u2066\\u2069';

test('a control character becomes its escape, and any other character, line and indent stays', () => {
  assert.equal(toPrintable(`\u0000\u001b[2J\r${CONTROLS}`), `\\u0000\\u001b[2J\\u000d${ESCAPED}`);
  const plain = 'Älice 名 😀 👨‍👩‍👧 a\u0301 \\u007f\n\t\u00a0\u200b|';
  assert.equal(toPrintable(plain), plain);
});

test('a file name with control characters is quoted so that a shell reads it back', () => {
  for (const name of ["it's", 'a\\b', "it's \u001b[31m\\n\u202e\u009b"]) {
    const word = quoteWord(name);
    assert.doesNotMatch(word, UNPRINTABLE);
    const read = execFileSync('bash', ['-c', `printf %s ${word}`], {
      env: { ...process.env, LC_ALL: 'C.UTF-8' },
    });
    assert.equal(read.toString(), name);
  }
});

onSqlite('What commands print', (database) => {
  const line = { username: 'alice', password: 'wonderland', bio: `a${CONTROLS}z`, avatar: '/a\u202eb' };

  test('texts of users have no control characters, and an import reads the export back', async (t) => {
    const [first, second] = [settingsOf(await database.create(t)), settingsOf(await database.create(t))];
    assert.equal((await runCommand(first, ['import', '-'], JSON.stringify(line))).code, 0);

    const shown = await runCommand(first, ['user', 'show', 'alice']);
    assert.doesNotMatch(shown.output, UNPRINTABLE);
    assert.ok(shown.output.includes(`"bio": "a${ESCAPED}z"`), shown.output);
    const { bio, avatar } = JSON.parse(shown.output);
    assert.deepEqual({ bio, avatar }, { bio: line.bio, avatar: line.avatar });

    const exported = await runCommand(first, ['export']);
    assert.doesNotMatch(exported.output, UNPRINTABLE);
    assert.equal((await runCommand(second, ['import', '-'], exported.output)).code, 0);
    const again = JSON.parse((await runCommand(second, ['export'])).output);
    assert.deepEqual([again.bio, again.avatar], [line.bio, line.avatar]);
  });

  test('arguments in errors have none either', async (t) => {
    const settings = settingsOf(await database.create(t));
    await runCommand(settings, ['import', '-'], JSON.stringify(line));
    const attempts = [
      [CONTROLS],
      ['user', 'show', CONTROLS],
      ['invite', 'revoke', CONTROLS],
      ['import', `${CONTROLS}\u001b[2J`],
      ['backup', `/nowhere/${CONTROLS}`],
    ];
    for (const words of attempts) {
      const { code, output, errors } = await runCommand(settings, words);
      assert.notEqual(code, 0);
      assert.doesNotMatch(`${output}${errors}`, UNPRINTABLE);
      assert.ok(errors.includes(ESCAPED), errors);
    }
  });
});
