// Takes the pictures and the recording of the README, and the pictures of the manifest, from the current page, in Chromium, with
// made-up users.
//   npm run pictures                 all
//   npm run pictures -- recording    the recording alone
import { mkdir, writeFile } from 'node:fs/promises';
import type { Page } from 'puppeteer-core';
import { appear } from '../test/browsers/appearance.ts';
import { startChromium } from '../test/browsers/chromium.ts';
import { openContext, openWindow } from '../test/browsers/running-browser.ts';
import { startSite } from '../test/browsers/site.ts';
import { idOf, TALK_LENGTH, tellStory } from '../test/browsers/story.ts';
import { PHONE, record } from './recording.ts';

const README_FOLDER = new URL('../docs/pictures/', import.meta.url);
/** What a browser shows before it installs the page; web/public/manifest.webmanifest has the sizes. */
const MANIFEST_FOLDER = new URL('../web/public/screenshots/', import.meta.url);

const WIDE = { width: 1180, height: 720 };

const ends: (() => Promise<void> | void)[] = [];
const scope = { after: (end: () => Promise<void> | void) => void ends.push(end) };
try {
  await take();
} finally {
  for (const end of ends) await end();
}

async function take(): Promise<void> {
  for (const folder of [README_FOLDER, MANIFEST_FOLDER]) await mkdir(folder, { recursive: true });
  const site = await startSite(scope);
  const people = await tellStory(site);
  const chromium = await startChromium(scope);
  const open = async (name: string, path: string, size = WIDE) => {
    const page = await openWindow(await openContext(scope, chromium), `${site.url}/sign-in`);
    await appear(scope, chromium, page, { ...size, languages: 'en-US,en', scheme: 'light' });
    await signIn(page, name);
    await page.goto(site.url + path);
    return page;
  };
  for (const name of ['jonas', 'mei', 'aisha', 'sam', 'yuki']) await open(name, '/people');
  const jonas = idOf(people, 'jonas');
  if (process.argv[2] !== 'recording') await takeStills();

  const alice = idOf(people, 'alice');
  // Else her chat opens at the first message that she has not read.
  const mark = { peer: jonas, read: TALK_LENGTH };
  await site.post('/api/messages/mark', mark, people.get('alice')?.token);
  const [left, right] = [await open('alice', '/', PHONE), await open('jonas', `/chat/${alice}`, PHONE)];
  const studio = await openWindow(await openContext(scope, chromium));
  const { bytes, ms } = await record({ left, right, studio }, jonas);
  await writeFile(new URL('recording.webp', README_FOLDER), bytes);
  console.log(`recording.webp: ${Math.round(bytes.length / 1_000)} KB, ${ms / 1_000} s`);

  async function takeStills(): Promise<void> {
    const wide = await open('alice', `/chat/${jonas}`);
    await appear(scope, chromium, wide, { ...WIDE, scheme: 'light' });
    await wide.waitForSelector(`[data-testid="message-${TALK_LENGTH}"]`);
    await picture(wide, 'chat');
    await appear(scope, chromium, wide, { width: 390, height: 720, scheme: 'dark' });
    await picture(wide, 'phone');
    await appear(scope, chromium, wide, { ...WIDE, scheme: 'light' });
    await wide.goto(`${site.url}/people/${idOf(people, 'aisha')}`);
    await wide.waitForSelector('h1');
    await picture(wide, 'people');

    await wide.goto(`${site.url}/chat/${jonas}`);
    await wide.waitForSelector(`[data-testid="message-${TALK_LENGTH}"]`);
    await appear(scope, chromium, wide, { width: 1280, height: 800, scheme: 'light' });
    await picture(wide, 'wide', MANIFEST_FOLDER);
    await appear(scope, chromium, wide, { width: 390, height: 844, scheme: 'light' });
    await picture(wide, 'narrow', MANIFEST_FOLDER);
    await wide.close(); // it would read what arrives in the recording
  }
}

async function signIn(page: Page, username: string): Promise<void> {
  await page.waitForSelector('[name="username"]');
  await page.type('[name="username"]', username);
  await page.type('[name="password"]', `password-of-${username}`);
  await page.keyboard.press('Enter');
  await page.waitForSelector('[data-testid="own-profile"]');
}

/** Small, since they travel with every clone. */
async function picture(page: Page, name: string, folder = README_FOLDER): Promise<void> {
  await page.evaluate(() => document.fonts.ready);
  await new Promise((resolve) => setTimeout(resolve, 1_000)); // animations have ended
  const bytes = await page.screenshot({ type: 'webp', quality: 80 });
  await writeFile(new URL(`${name}.webp`, folder), bytes);
}
