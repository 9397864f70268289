import type { Plugin } from 'vite';

const ICON = /\/@primer\/octicons-react\/dist\/icons\/\w+\.mjs$/;
/** A drawing of another size than 16: all lines up to the brace at its own indent. */
const OTHER_SIZE = /,?\n\t"(?!16")\d+": \{\n[\s\S]*?\n\t\}/g;

/** Keeps one drawing of each icon, that of 16 pixels, which is scaled: the others are as large again, and hardly look different. */
export function iconPlugin(): Plugin {
  return {
    name: 'doorman-icons',
    transform: {
      filter: { id: ICON },
      handler(code) {
        if (!code.includes('"16": {')) return undefined;
        return code
          .replace(/var heights = \[[^\]]*\]/, 'var heights = ["16"]')
          .replace(OTHER_SIZE, '')
          .replace(/(var svgDataByHeight = \{)\s*,/, '$1');
      },
    },
  };
}
