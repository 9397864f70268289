// Draws the icons of the page into web/public: a door that is a speech bubble, light behind its keyhole.
//   node_modules/.bin/node scripts/icons.mjs
// Needs Chromium. The results are committed, so this is run only after a change of the mark.
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import puppeteer from 'puppeteer-core';

const target = join(dirname(dirname(fileURLToPath(import.meta.url))), 'web/public');

// The colours of web/src/ui/page/theme.ts.
const LIVERY = '#0b5746';
const BRASS = '#bf8f25';
const DOOR = '#fcf6e8';

const door =
  'M132 366V226C132 157 187 102 256 102S380 157 380 226V366C380 386 364 402 344 402H262L198 458C190 465 178 459 178 449V402H168C148 402 132 386 132 366Z';
const keyhole =
  'M256 178A46 46 0 0 1 281 263L293 318C295 327 288 336 279 336H233C224 336 217 327 219 318L231 263A46 46 0 0 1 256 178Z';

/** @param inner drawn in a square of 512 */
function svg(inner, size = 512) {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 512 512"><title>Doorman</title>${inner}</svg>\n`;
}

function mark(scale, colours) {
  const shift = 256 - 256 * scale;
  const lift = 256 - 280 * scale;
  return `<g transform="translate(${shift} ${lift}) scale(${scale})"><path fill="${colours.door}" d="${door}"/><path fill="${colours.keyhole}" d="${keyhole}"/></g>`;
}

const colours = { door: DOOR, keyhole: BRASS };
const rounded = svg(`<rect width="512" height="512" rx="116" fill="${LIVERY}"/>${mark(1.16, colours)}`);
// Systems crop these to their own shapes, so they reach the edge. On Android the middle four fifths are safe, on iOS more.
const full = (scale) => svg(`<rect width="512" height="512" fill="${LIVERY}"/>${mark(scale, colours)}`);
// Systems use only the opacity of this one.
const badge = svg(
  `<mask id="m"><rect width="512" height="512" fill="#fff"/>${mark(1.4, { door: 'none', keyhole: '#000' })}</mask><g mask="url(#m)">${mark(1.4, { door: '#fff', keyhole: 'none' })}</g>`,
);

const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
});
try {
  const page = await browser.newPage();
  const render = async (drawing, size) => {
    await page.setViewport({ width: size, height: size });
    await page.setContent(
      `<style>body{margin:0}svg{display:block;width:${size}px;height:${size}px}</style>${drawing}`,
    );
    return Buffer.from(await page.screenshot({ omitBackground: true }));
  };
  const icons = {
    'icon-192': [rounded, 192],
    'icon-512': [rounded, 512],
    'maskable-512': [full(0.96), 512],
    'apple-touch-icon': [full(1.12), 180],
    'badge-96': [badge, 96],
  };
  for (const [name, [drawing, size]] of Object.entries(icons))
    await writeFile(join(target, `icons/${name}.png`), await render(drawing, size));
  await writeFile(join(target, 'icons/icon.svg'), rounded);
  await writeFile(join(target, 'favicon.ico'), toIco(await render(rounded, 32), 32));
} finally {
  await browser.close();
}

/** One PNG in the container that browsers without SVG icons request. */
function toIco(png, size) {
  const header = Buffer.alloc(22);
  header.writeUInt16LE(1, 2);
  header.writeUInt16LE(1, 4);
  header.writeUInt8(size, 6);
  header.writeUInt8(size, 7);
  header.writeUInt16LE(1, 10);
  header.writeUInt16LE(32, 12);
  header.writeUInt32LE(png.length, 14);
  header.writeUInt32LE(header.length, 18);
  return Buffer.concat([header, png]);
}
