// Writes theme.css from theme.ts in web/src/ui/page: what Mantine would put into a <style> tag, which the page's
// Content-Security-Policy forbids.
//   node scripts/theme-css.ts && npx biome check --write web/src/ui/page/theme.css
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  convertCssVariables,
  DEFAULT_THEME,
  defaultCssVariablesResolver,
  mergeMantineTheme,
} from '@mantine/core';
import { COLORS, cssVariablesResolver, theme } from '../web/src/ui/page/theme.ts';

/** Variables that nothing in the page uses. */
const UNUSED =
  /^--mantine-(?:h\d|heading|font-family-headings|breakpoint|z-index|line-height-|shadow|primary-color-\d|color-\w+-outline|color-(?:dark|gray|brass)-(?:text|filled)|color-(?:dark|brass|gray|red)-light|color-(?:livery|red)-text|color-red-filled-hover|color-disabled-border|color-(?:brass-[13679]|gray-8|livery-5|red-[35])$|font-weight-bold)/;

export function themeCss(): string {
  const whole = mergeMantineTheme(DEFAULT_THEME, theme);
  const standard = defaultCssVariablesResolver(whole);
  const own = cssVariablesResolver(whole);
  const unused = Object.keys(whole.colors).filter((color) => !COLORS.includes(color));
  const isUsed = (name: string) =>
    !UNUSED.test(name) && !unused.some((color) => name.startsWith(`--mantine-color-${color}-`));
  const merged = (part: 'variables' | 'light' | 'dark') =>
    Object.fromEntries(Object.entries({ ...standard[part], ...own[part] }).filter(([name]) => isUsed(name)));
  const css = convertCssVariables(
    { variables: merged('variables'), light: merged('light'), dark: merged('dark') },
    ':root',
  );
  const lines = css
    .replaceAll('{', ' {\n')
    .replaceAll(';', ';\n')
    .replace(/^(?=--)/gm, '  ');
  return `/* Made by scripts/theme-css.ts from theme.ts: not to be edited. */\n${lines.replace(/\n{2,}/g, '\n\n').trim()}\n`;
}

if (import.meta.main) writeFileSync(join(import.meta.dirname, '../web/src/ui/page/theme.css'), themeCss());
