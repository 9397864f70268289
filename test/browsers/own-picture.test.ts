import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SAMPLES } from '../picture-samples.ts';
import { assertAccessible } from './axe.ts';
import { choosePicture } from './chosen-file.ts';
import { onChromium, onEachBrowser } from './each-browser.ts';
import { arrive, type Person } from './person.ts';
import type { RunningBrowser } from './running-browser.ts';
import { startSite } from './site.ts';
import { waitFor } from './waiting.ts';

const FIELD = '[data-testid="picture-file"]';
/** What canvases make of the two halves of {@link choosePicture}. */
const [BLUE, ORANGE] = [
  [26, 115, 232],
  [251, 140, 0],
];

onEachBrowser('The own picture', (browser) => {
  test('a square of a file is chosen by keys, uploaded, and shown to others', async (t) => {
    const alice = await openProfileForm(t, browser());
    const { page, site } = alice;
    await choosePicture(page, FIELD, { width: 600, height: 300 });
    await alice.find('crop-save');
    await assertAccessible(page, 'the dialog that crops');
    await page.focus('[data-testid="crop-view"]');
    // From the middle to the right half, and not beyond it.
    for (let i = 0; i < 15; i++) await page.keyboard.press('ArrowRight');
    await alice.click('crop-save');
    await page.waitForSelector('[data-testid="crop-dialog"]', { hidden: true });
    const avatar = await shownPicture(alice);
    assert.match(avatar, /^\/media\/avatars\//);
    const { type, width, height, corners } = await look(alice, avatar);
    assert.deepEqual([type, width, height], ['image/webp', 300, 300]);
    for (const corner of corners) assertColour(corner, ORANGE);

    const { body } = await site.get(`/api/user/profile/${alice.id}`);
    assert.equal(body.data.avatar, avatar);
    assert.equal(await page.$eval('[name="avatar"]', (field) => (field as HTMLInputElement).value), '');
    assert.equal(await page.$('[data-testid="undo-profile"]'), null, 'nothing is left to save');
  });

  test('what the canvas of this browser makes is taken, and draws the same without its metadata', async (t) => {
    const alice = await openProfileForm(t, browser());
    const { token } = await alice.site.join('bob');
    const made = await alice.page.evaluate(async (token) => {
      const found: string[] = [];
      const pixelsOf = async (blob: Blob) => {
        const bitmap = await createImageBitmap(blob);
        const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
        const context = canvas.getContext('2d');
        context?.drawImage(bitmap, 0, 0);
        return context?.getImageData(0, 0, bitmap.width, bitmap.height).data ?? new Uint8ClampedArray();
      };
      for (const type of ['image/jpeg', 'image/png', 'image/webp'])
        for (const isClear of [false, true])
          for (const quality of [0.4, 0.9, 1]) {
            const canvas = document.createElement('canvas');
            canvas.width = canvas.height = 200;
            const context = canvas.getContext('2d');
            if (!context) throw new Error('no canvas');
            const colours = context.createLinearGradient(0, 0, 200, 200);
            for (const [at, colour] of ['#1a73e8', '#fb8c00', '#0a7a3f'].entries())
              colours.addColorStop(at / 2, colour);
            context.fillStyle = colours;
            if (isClear) context.arc(100, 100, 90, 0, 7);
            else context.rect(0, 0, 200, 200);
            context.fill();
            const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, type, quality));
            if (!blob) throw new Error(type);
            const answer = await fetch('/api/user/avatar', {
              method: 'POST',
              headers: { authorization: `Bearer ${token}`, 'content-type': blob.type },
              body: blob,
            });
            const { data, error } = await answer.json();
            if (error) {
              found.push(`${blob.type}: ${error}`);
              continue;
            }
            const stored = await (await fetch(data.avatar)).blob();
            const [sent, kept] = [await pixelsOf(blob), await pixelsOf(stored)];
            const most = sent.reduce(
              (most, value, i) => Math.max(most, Math.abs(value - (kept[i] ?? 999))),
              0,
            );
            // A profile of colours that is left out is that of the web, so a rounding may differ.
            found.push(
              `${blob.type}${stored.type === blob.type ? '' : ` as ${stored.type}`}: ${most <= 3 ? 'same' : most}`,
            );
          }
      return [...new Set(found)].sort();
    }, token);
    assert.deepEqual(made, ['image/jpeg: same', 'image/png: same', 'image/webp: same']);
  });
});

onChromium('The own picture in detail', (browser) => {
  test('it is moved by the pointer and zoomed, and stays within the picture', async (t) => {
    const alice = await openProfileForm(t, browser());
    const { page } = alice;
    await choosePicture(page, FIELD, { width: 600, height: 300, type: 'image/jpeg' });
    await alice.find('crop-view');
    const view = await page.$('[data-testid="crop-view"]');
    const box = await view?.boundingBox();
    assert.ok(box);
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + 5 * box.width, box.y + box.height, { steps: 4 });
    await page.mouse.up();
    await page.focus('[data-testid="crop-zoom"]');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter'); // sends no form
    await alice.click('crop-save');
    const { width, corners } = await look(alice, await shownPicture(alice));
    assert.equal(width, 75, 'a quarter of the height');
    for (const corner of corners) assertColour(corner, BLUE);
  });

  test('a browser without WebP uploads JPEG on white, and a photo is made small enough', async (t) => {
    const alice = await openProfileForm(t, browser());
    const { page } = alice;
    await page.evaluate(() => {
      const { toBlob } = HTMLCanvasElement.prototype;
      HTMLCanvasElement.prototype.toBlob = function (done, type, quality) {
        toBlob.call(this, done, type === 'image/webp' ? 'image/png' : type, quality);
      };
    });
    // Noise, of which no encoder makes little, and nothing at its left edge.
    await page.$eval(FIELD, async (input) => {
      const canvas = document.createElement('canvas');
      canvas.width = canvas.height = 700;
      const context = canvas.getContext('2d');
      if (!context || !(input instanceof HTMLInputElement)) throw new Error('no field for a picture');
      const noise = context.createImageData(600, 700);
      let seed = 1;
      for (let i = 0; i < noise.data.length; i++) {
        seed = (seed * 16_807) % 2_147_483_647;
        noise.data[i] = i % 4 === 3 ? 255 : seed % 256;
      }
      context.putImageData(noise, 100, 0);
      const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done));
      const files = new DataTransfer();
      if (blob) files.items.add(new File([blob], 'noise.png', { type: 'image/png' }));
      input.files = files.files;
      input.dispatchEvent(new Event('change', { bubbles: true }));
    });
    await alice.click('crop-save');
    const { type, width, corners } = await look(alice, await shownPicture(alice));
    assert.equal(type, 'image/jpeg');
    assert.ok(width >= 128 && width <= 512, String(width));
    assertColour(corners[0], [255, 255, 255]);
  });

  test('what is no picture is said so, and a refusal of the service leaves the dialog', async (t) => {
    const alice = await openProfileForm(t, browser());
    const { page } = alice;
    await page.$eval(FIELD, (input) => {
      const files = new DataTransfer();
      files.items.add(new File(['no picture'], 'a.png', { type: 'image/png' }));
      if (input instanceof HTMLInputElement) input.files = files.files;
      input.dispatchEvent(new Event('change', { bubbles: true }));
    });
    await waitFor('the sentence', async () => /can’t be opened as a picture/.test(await dialogText(alice)));
    await alice.click('crop-cancel');
    await page.setRequestInterception(true);
    page.on('request', (request) =>
      request.url().endsWith('/api/user/avatar')
        ? request.respond({
            status: 429,
            contentType: 'application/json',
            body: JSON.stringify({ code: 429, error: 'too_many_pictures', msg: '' }),
          })
        : request.continue(),
    );
    alice.faults.expect(/^429 /);
    await choosePicture(page, FIELD, { width: 100, height: 100 });
    await alice.click('crop-save');
    await waitFor('the refusal', async () => /Try again later/.test(await dialogText(alice)));
    await alice.click('crop-cancel');
    await page.waitForSelector('[data-testid="crop-dialog"]', { hidden: true });
  });

  test('an uploaded picture is removed as any other change, which can be discarded', async (t) => {
    const alice = await openProfileForm(t, browser());
    const { page, site } = alice;
    const bytes = SAMPLES.canvasPng.bytes.toString('base64');
    const token = (await site.post('/api/login', { username: 'alice', password: alice.password })).body.data
      .token;
    await page.evaluate(
      async (bytes, token) => {
        const body = Uint8Array.from(atob(bytes), (one) => one.charCodeAt(0));
        const headers = { authorization: `Bearer ${token}`, 'content-type': 'image/png' };
        await fetch('/api/user/avatar', { method: 'POST', headers, body });
      },
      bytes,
      token,
    );
    const avatar = await shownPicture(alice);
    const saved = async () => (await site.get(`/api/user/profile/${alice.id}`)).body.data.avatar;
    await alice.click('remove-picture');
    await page.waitForSelector('form [data-initials]');
    await alice.click('undo-profile');
    assert.equal(await shownPicture(alice), avatar);
    // An address that is typed and taken back changes nothing.
    await alice.fill('[name="avatar"]', 'x');
    await alice.find('undo-profile');
    await page.keyboard.press('Backspace');
    await page.waitForSelector('[data-testid="undo-profile"]', { hidden: true });
    await alice.click('remove-picture');
    await alice.click('save-profile');
    await waitFor('the end of the picture', async () => (await saved()) === '');
  });
});

/** Alice, who is new, in the form of her profile. */
async function openProfileForm(t: Parameters<typeof startSite>[0], browser: RunningBrowser): Promise<Person> {
  const site = await startSite(t);
  const alice = await arrive(t, browser, site, 'alice');
  await alice.signUp();
  await alice.click('own-profile');
  await alice.find('choose-picture');
  return alice;
}

/** Waits for the picture in the form. @returns its path */
async function shownPicture({ page }: Person): Promise<string> {
  return waitFor('the picture', () =>
    page.$$eval('form img', ([image]) =>
      image instanceof HTMLImageElement && image.complete && image.naturalWidth > 0
        ? new URL(image.src).pathname
        : undefined,
    ),
  );
}

async function look({ page }: Person, path: string) {
  return page.evaluate(async (path) => {
    const blob = await (await fetch(path)).blob();
    const bitmap = await createImageBitmap(blob);
    const { width, height } = bitmap;
    const context = new OffscreenCanvas(width, height).getContext('2d');
    if (!context) throw new Error('no canvas');
    context.drawImage(bitmap, 0, 0);
    const at = (x: number, y: number) => [...context.getImageData(x, y, 1, 1).data.slice(0, 3)];
    const corners = [at(2, 2), at(width - 3, 2), at(2, height - 3), at(width - 3, height - 3)];
    return { type: blob.type, width, height, corners };
  }, path);
}

/** Within what encoders lose. */
function assertColour(found: number[] | undefined, expected: number[] | undefined): void {
  assert.ok(found && expected);
  const isNear = found.every((value, i) => Math.abs(value - (expected[i] ?? 0)) <= 25);
  assert.ok(isNear, `${found} instead of ${expected}`);
}

async function dialogText({ page }: Person): Promise<string> {
  return page.$$eval(
    '[data-testid="crop-dialog"]',
    ([dialog]) => (dialog as HTMLElement | undefined)?.innerText ?? '',
  );
}
