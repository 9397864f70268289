import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bioExcerpt, findGender, tidyBio } from './person-facts.ts';

test('a gender that the interface does not name counts as none', () => {
  assert.equal(findGender('female'), 'female');
  assert.equal(findGender(''), undefined);
  assert.equal(findGender('<b>x</b>'), undefined);
  assert.equal(findGender('toString'), undefined);
});

test('a bio keeps its lines and indents, but not many empty lines', () => {
  assert.equal(tidyBio('One.\n\n  Two.\nThree.'), 'One.\n\n  Two.\nThree.');
  assert.equal(tidyBio('\n'.repeat(500)), '');
  assert.equal(tidyBio('   \u3000 '), '');
  assert.equal(tidyBio(`${'\n'.repeat(500)}  end \n`), '  end');
  assert.equal(tidyBio(`a${'\r\n'.repeat(400)}b`), 'a\n\n\nb');
  assert.equal(tidyBio('a\n \n\t\n \nb'), 'a\n\n\nb');
});

test('an excerpt is the start of a bio on one line, without half of an emoji', () => {
  assert.equal(bioExcerpt('  one\n\n\ttwo   three '), 'one two three');
  assert.equal([...bioExcerpt('😀'.repeat(1000))].length, 120);
  assert.ok(bioExcerpt('😀'.repeat(1000)).isWellFormed());
  assert.ok(bioExcerpt(`a${'😀'.repeat(999)}`).isWellFormed());
});
