// Makes the pictures of the README anew, from the page as it is: in Chromium, with people made up for it.
//   node scripts/pictures.ts
import { mkdir, writeFile } from 'node:fs/promises';
import type { Page } from 'puppeteer-core';
import { appear } from '../test/browsers/appearance.ts';
import { startChromium } from '../test/browsers/chromium.ts';
import { openContext, openWindow } from '../test/browsers/running-browser.ts';
import { type Account, type Site, startSite } from '../test/browsers/site.ts';

const FOLDER = new URL('../docs/pictures/', import.meta.url);

const PEOPLE: [username: string, nickname: string, bio: string][] = [
  ['alice', 'Alice Moreau', 'Down the rabbit hole since 1865. Tea at five.'],
  ['mei', '林小雨', '喜欢爬山和摄影'],
  ['jonas', 'Jonas Weber', 'Builds bridges, the real ones.'],
  ['aisha', 'Aisha Khan', 'Night shift, so write me at noon.'],
  ['tomas', 'Tomás Rivera', 'Cello, coffee, crosswords'],
  ['nora', 'Nora Lindqvist', 'On the island until Monday'],
  ['sam', 'Sam Okafor', 'Ask me about bees'],
  ['yuki', 'Yuki Tanaka', 'Rain is just weather'],
];

const TALK: [from: string, text: string][] = [
  ['jonas', 'The bridge opens on Friday, half past ten. Will you come?'],
  ['alice', 'I would not miss it. Shall I bring the others?'],
  ['jonas', 'Please do! There is coffee on the south bank, and somebody wants to hear your speech 🙂'],
  ['jonas', 'Here is the way: https://example.org/bridge'],
  ['alice', 'Perfect. I take the train at nine.'],
  ['alice', 'And I never gave a speech in my life.'],
  ['jonas', 'Then it is about time.'],
];

const OTHERS: [from: string, to: string, text: string][] = [
  ['sam', 'alice', 'The bees say hello'],
  ['nora', 'alice', 'Back on Monday, keep me a seat'],
  ['alice', 'tomas', 'Seven letters, “gatekeeper”?'],
  ['tomas', 'alice', 'DOORMAN, obviously'],
  ['mei', 'alice', '照片发给你了，明天见！'],
  ['aisha', 'alice', 'Are you awake?'],
];

const ends: (() => Promise<void> | void)[] = [];
const scope = { after: (end: () => Promise<void> | void) => void ends.push(end) };
try {
  await take();
} finally {
  for (const end of ends) await end();
}

async function take(): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  const site = await startSite(scope);
  const people = await tellStory(site);
  const chromium = await startChromium(scope);
  const open = async (name: string, path: string) => {
    const page = await openWindow(await openContext(scope, chromium), `${site.url}/sign-in`);
    await appear(scope, chromium, page, { languages: 'en-US,en' });
    await signIn(page, name);
    await page.goto(site.url + path);
    return page;
  };
  for (const name of ['jonas', 'mei', 'aisha', 'sam', 'yuki']) await open(name, '/people');
  const jonas = idOf(people, 'jonas');
  const wide = await open('alice', `/chat/${jonas}`);
  await appear(scope, chromium, wide, { width: 1180, height: 720, scheme: 'light' });
  await wide.waitForSelector(`[data-testid="message-${TALK.length}"]`);
  await picture(wide, 'chat');
  await appear(scope, chromium, wide, { width: 390, height: 720, scheme: 'dark' });
  await picture(wide, 'phone');
  await appear(scope, chromium, wide, { width: 1180, height: 720, scheme: 'light' });
  await wide.goto(`${site.url}/people/${idOf(people, 'aisha')}`);
  await wide.waitForSelector('h1');
  await picture(wide, 'people');
}

async function tellStory(site: Site): Promise<Map<string, Account>> {
  const people = new Map<string, Account>();
  for (const [username, nickname, bio] of PEOPLE) {
    const account = await site.join(username);
    people.set(username, account);
    await site.post('/api/user/profile', { nickname, bio }, account.token);
  }
  const write = async (from: string, to: string, body: string) => {
    const { body: answer } = await site.post(
      '/api/messages',
      { to: idOf(people, to), cid: crypto.randomUUID(), body },
      people.get(from)?.token,
    );
    if (answer.code !== 200) throw new Error(answer.msg);
  };
  for (const [from, to, text] of OTHERS) await write(from, to, text);
  for (const [from, text] of TALK) await write(from, from === 'alice' ? 'jonas' : 'alice', text);
  return people;
}

function idOf(people: ReadonlyMap<string, Account>, name: string): string {
  const account = people.get(name);
  if (!account) throw new Error(`there is no ${name}`);
  return account.id;
}

async function signIn(page: Page, username: string): Promise<void> {
  await page.type('[name="username"]', username);
  await page.type('[name="password"]', `password-of-${username}`);
  await page.keyboard.press('Enter');
  await page.waitForSelector('[data-testid="own-profile"]');
}

/** Small, since they travel with every clone. */
async function picture(page: Page, name: string): Promise<void> {
  await page.evaluate(() => document.fonts.ready);
  await new Promise((resolve) => setTimeout(resolve, 1_000)); // what moves has come to rest
  const bytes = await page.screenshot({ type: 'webp', quality: 80 });
  await writeFile(new URL(`${name}.webp`, FOLDER), bytes);
}
