import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { themeCss } from '../../../../scripts/theme-css.ts';

const css = readFileSync(join(import.meta.dirname, 'theme.css'), 'utf8');

test('theme.css is what Mantine would write for the theme: else run scripts/theme-css.ts', () => {
  assert.deepEqual(linesOf(css), linesOf(themeCss()));
});

for (const scheme of ['light', 'dark'] as const)
  test(`text can be read on its ground in ${scheme} (WCAG 2.2, 1.4.3: 4.5 to 1)`, () => {
    const color = colorsOf(scheme);
    const pairs: [text: string, ground: string][] = [
      ['--mantine-color-text', '--page'],
      ['--mantine-color-text', '--surface'],
      ['--mantine-color-text', '--hover'],
      ['--mantine-color-dimmed', '--page'],
      ['--mantine-color-dimmed', '--surface'],
      ['--mantine-color-dimmed', '--hover'],
      ['--mantine-color-dimmed', '--selected'],
      ['--mantine-color-placeholder', '--surface'],
      ['--mantine-color-error', '--surface'],
      ['--mantine-color-success', '--surface'],
      ['--mantine-color-anchor', '--surface'],
      ['--accent', '--surface'],
      ['--accent', '--selected'],
      ['--selected-text', '--selected'],
      ['--brass-text', '--brass-soft'],
      ['--danger-text', '--danger-soft'],
      ['--badge-text', '--badge'],
      ['--own-message-text', '--own-message'],
      ['--own-message-quiet', '--own-message'],
      ['--mantine-color-text', '--their-message'],
      ['--their-message-quiet', '--their-message'],
      ['--mantine-primary-color-contrast', '--mantine-primary-color-filled'],
      ['--mantine-primary-color-contrast', '--mantine-primary-color-filled-hover'],
      ['--mantine-primary-color-light-color', '--mantine-primary-color-light'],
      ['--mantine-primary-color-light-color', '--mantine-primary-color-light-hover'],
    ];
    const poor = pairs.flatMap(([text, ground]) => {
      const ratio = contrast(color(text), color(ground));
      return ratio < 4.5 ? [`${text} on ${ground}: ${ratio.toFixed(2)}`] : [];
    });
    assert.deepEqual(poor, []);
  });

for (const scheme of ['light', 'dark'] as const)
  test(`the edge of a field is seen on its ground in ${scheme} (WCAG 2.2, 1.4.11: 3 to 1)`, () => {
    const color = colorsOf(scheme);
    for (const ground of ['--page', '--surface', '--hover', '--selected']) {
      const ratio = contrast(color('--edge'), color(ground));
      assert.ok(ratio >= 3, `--edge on ${ground}: ${ratio.toFixed(2)}`);
    }
  });

for (const scheme of ['light', 'dark'] as const)
  test(`bubbles are seen by their fill, ticks and the mark of a selected row on it, in ${scheme}`, () => {
    const color = colorsOf(scheme);
    const pairs: [one: string, other: string, least: number][] = [
      ['--own-message', '--page', 2],
      ['--own-message', '--their-message', 1.5],
      ['--their-message', '--page', 1.2],
      // WCAG 2.2, 1.4.11.
      ['--accent', '--selected', 3],
      ['--accent', '--hover', 3],
      ['--mantine-color-brass-2', '--own-message', 3],
      ['--mantine-color-red-2', '--own-message', 3],
    ];
    const poor = pairs.flatMap(([one, other, least]) => {
      const ratio = contrast(color(one), color(other));
      return ratio < least ? [`${one} on ${other}: ${ratio.toFixed(2)}`] : [];
    });
    assert.deepEqual(poor, []);
  });

for (const scheme of ['light', 'dark'] as const)
  test(`the shell in the document has the colours of the page in ${scheme}`, () => {
    const color = colorsOf(scheme);
    for (const name of ['page', 'surface', 'line'])
      assert.equal(color(`--shell-${name}`), color(`--${name}`), name);
  });

/** Its rules and declarations, however it is laid out. */
function linesOf(sheet: string): string[] {
  return sheet.replace(/\s+/g, ' ').split(/(?<=[{;}])\s*/);
}

/** Reads a variable as the browser would in this scheme, through `var()`. */
function colorsOf(scheme: 'light' | 'dark'): (name: string) => string {
  const app = readFileSync(join(import.meta.dirname, '../../app/app.css'), 'utf8');
  const shell = readFileSync(join(import.meta.dirname, '../../app/shell.css'), 'utf8');
  const values = new Map<string, string>();
  for (const sheet of [css, app, shell])
    for (const [, selector = '', body = ''] of sheet.matchAll(/(:root[^{]*)\{([^}]*)\}/g)) {
      if (selector.includes('data-mantine-color-scheme') && !selector.includes(scheme)) continue;
      for (const [, name = '', value = ''] of body.matchAll(/(--[\w-]+):\s*([^;]+);/g))
        values.set(name, value);
    }
  const resolve = (name: string): string => {
    const value = values.get(name);
    assert.ok(value, `${name} in ${scheme}`);
    const inner = /^var\((--[\w-]+)\)$/.exec(value)?.[1];
    return inner === undefined ? value : resolve(inner);
  };
  return resolve;
}

function contrast(one: string, other: string): number {
  const [bright = 0, dim = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (bright + 0.05) / (dim + 0.05);
}

/** WCAG 2.2, relative luminance; of `#rgb` and `#rrggbb`. */
function luminance(color: string): number {
  const digits = /^#([\da-f]{3}|[\da-f]{6})$/i.exec(color)?.[1];
  assert.ok(digits, `${color} is a colour written in hexadecimal`);
  const size = digits.length / 3;
  const [red = 0, green = 0, blue = 0] = [0, 1, 2].map((index) => {
    const part = digits.slice(index * size, (index + 1) * size);
    const value = Number.parseInt(size === 1 ? part + part : part, 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
