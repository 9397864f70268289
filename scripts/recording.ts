import type { Page } from 'puppeteer-core';
import { comeToRest } from '../test/browsers/appearance.ts';
import { waitFor } from '../test/browsers/waiting.ts';
import { animatedWebp, type Frame } from './animated-webp.ts';

/** The two phones side by side, in CSS pixels, with what is around them. */
export const PHONE = { width: 390, height: 620 };
const GAP = 20;
/** So that the letters are sharp on screens of today. */
const SCALE = 1.5;
const QUALITY = 0.72;
const TYPED_AT_ONCE = 3;
const TYPING_MS = 110;
const TAP_MS = 350;

/** The two pages of the recording, both as on a phone, and a blank one in which their pictures are compared. */
interface Stage {
  readonly left: Page;
  readonly right: Page;
  readonly studio: Page;
}

/** A place on the left or the right page that is pressed. */
interface Tap {
  readonly side: 'left' | 'right';
  readonly x: number;
  readonly y: number;
}

/** Records pages by pictures after each step, and not by the clock: a slow machine gives the same film. */
class Recording {
  readonly #stage: Stage;
  readonly #frames: Frame[] = [];

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  async open(): Promise<void> {
    const { left, right } = this.#stage;
    for (const page of [left, right]) await page.setViewport({ ...PHONE, deviceScaleFactor: SCALE });
  }

  /** Adds what both pages show, for `ms`. */
  async show(ms: number, tap?: Tap): Promise<void> {
    const { left, right, studio } = this.#stage;
    const pictures: string[] = [];
    for (const page of [left, right]) {
      await page.evaluate(() => document.fonts.ready);
      await comeToRest(page);
      pictures.push(await page.screenshot({ encoding: 'base64', type: 'png' }));
    }
    const places = { ...PHONE, gap: GAP, scale: SCALE, quality: QUALITY };
    const change = await studio.evaluate(compare, pictures, places, tap);
    if (change) this.#frames.push({ ...change, still: Buffer.from(change.still, 'base64'), ms });
    else {
      const last = this.#frames.pop();
      if (last) this.#frames.push({ ...last, ms: last.ms + ms });
    }
  }

  /** Types into the field that has the focus. */
  async type(page: Page, text: string): Promise<void> {
    const letters = [...text];
    for (let at = 0; at < letters.length; at += TYPED_AT_ONCE) {
      await page.keyboard.type(letters.slice(at, at + TYPED_AT_ONCE).join(''));
      await this.show(TYPING_MS);
    }
  }

  /** Presses an element, with a spot that shows where. */
  async tap(side: 'left' | 'right', selector: string): Promise<void> {
    const page = this.#stage[side];
    const element = await page.waitForSelector(selector, { visible: true });
    const box = await waitFor('its place', () => element?.boundingBox());
    await this.show(TAP_MS, { side, x: box.x + box.width / 2, y: box.y + box.height / 2 });
    await element?.click();
  }

  end(): { bytes: Buffer; ms: number } {
    return {
      bytes: animatedWebp(this.#frames),
      ms: this.#frames.reduce((sum, { ms }) => sum + ms, 0),
    };
  }
}

interface Places {
  width: number;
  height: number;
  gap: number;
  scale: number;
  quality: number;
}

/**
 * In the studio: draws the pictures of both phones side by side, and finds what has changed since the call before.
 *
 * @returns the rectangle of all changes as a WebP in base64; nothing if there are none
 */
async function compare(
  pictures: string[],
  { width, height, gap, scale, quality }: Places,
  tap: Tap | undefined,
): Promise<{ x: number; y: number; width: number; height: number; still: string } | undefined> {
  const memory = window as unknown as { before?: Uint32Array };
  const even = (value: number) => Math.round((value * scale) / 2) * 2;
  const canvas = new OffscreenCanvas(even(2 * width + 3 * gap), even(height + 2 * gap));
  const context = canvas.getContext('2d', { alpha: false });
  if (!context) throw new Error('no canvas');
  context.fillStyle = '#dfe5e1';
  context.fillRect(0, 0, canvas.width, canvas.height);
  for (const [i, picture] of pictures.entries()) {
    const bytes = Uint8Array.from(atob(picture), (letter) => letter.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const [x, y] = [even(gap + i * (width + gap)), even(gap)];
    context.save();
    context.beginPath();
    context.roundRect(x, y, width * scale, height * scale, 18 * scale);
    context.clip();
    context.drawImage(image, x, y, width * scale, height * scale);
    context.restore();
  }
  if (tap) {
    const left = gap + (tap.side === 'left' ? 0 : width + gap);
    context.beginPath();
    context.arc((left + tap.x) * scale, (gap + tap.y) * scale, 17 * scale, 0, 2 * Math.PI);
    context.fillStyle = 'rgb(11 87 70 / 35%)';
    context.fill();
  }
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
  const pixels = new Uint32Array(data.buffer);
  const { before } = memory;
  memory.before = pixels;
  let [x0, y0, x1, y1] = before ? [canvas.width, canvas.height, 0, 0] : [0, 0, canvas.width, canvas.height];
  if (before)
    for (let i = 0; i < pixels.length; i++) {
      if (pixels[i] === before[i]) continue;
      const [x, y] = [i % canvas.width, Math.floor(i / canvas.width)];
      x0 = Math.min(x0, x);
      x1 = Math.max(x1, x + 1);
      y0 = Math.min(y0, y);
      y1 = Math.max(y1, y + 1);
    }
  if (x0 >= x1) return undefined;
  [x0, y0] = [x0 & ~1, y0 & ~1];
  const part = new OffscreenCanvas(x1 - x0, y1 - y0);
  part.getContext('2d', { alpha: false })?.drawImage(canvas, -x0, -y0);
  const blob = await part.convertToBlob({ type: 'image/webp', quality });
  const letters = new Uint8Array(await blob.arrayBuffer()).reduce(
    (text, byte) => text + String.fromCharCode(byte),
    '',
  );
  return { x: x0, y: y0, width: part.width, height: part.height, still: btoa(letters) };
}

/** Two people chat, and one of them looks why they were not notified. */
export async function record(stage: Stage, jonas: string): Promise<{ bytes: Buffer; ms: number }> {
  const { left: alice, right: jonasPage } = stage;
  const recording = new Recording(stage);
  await recording.open();
  const row = `[data-testid="conversation-${jonas}"]`;
  await alice.waitForSelector(row);
  await jonasPage.waitForSelector('[data-message]');
  await recording.show(1_400);

  await jonasPage.focus('[data-testid="composer"]');
  await recording.type(jonasPage, 'Nine is early. Coffee first?');
  await jonasPage.keyboard.press('Enter');
  await alice.waitForSelector(`${row} [data-testid="count"]`);
  await jonasPage.waitForSelector('[data-state="received"]');
  await recording.show(1_500);

  await recording.tap('left', row);
  await alice.waitForSelector('[data-testid="composer"]');
  await waitFor('the mark', async () => (await jonasPage.$('[data-state="received"]')) === null);
  await recording.show(1_200);

  await alice.focus('[data-testid="composer"]');
  await recording.type(alice, 'South bank, at eight.');
  await alice.keyboard.press('Enter');
  await alice.waitForSelector('[data-state="stored"], [data-state="received"]', { hidden: true });
  await recording.show(1_500);

  await recording.tap('left', '[data-pane="page"] header a');
  await recording.show(500);
  await recording.tap('left', '[data-testid="nav-settings"]');
  await recording.tap('left', '[data-testid="settings-log"]');
  await alice.waitForSelector('[data-testid^="log-"]');
  await recording.show(3_000);
  return recording.end();
}
