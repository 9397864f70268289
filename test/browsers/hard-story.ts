import { type AccountAct, logAct } from '../../src/accounts/log/account-log.ts';
import type { Db } from '../../src/db/db.ts';
import { type LogEntry, writePushLog } from '../../src/push/log/push-log.ts';
import type { Services } from '../../src/services.ts';
import type { Body } from '../harness.ts';
import { drawnPicture, uploadPicture } from './drawn-picture.ts';
import type { Scope } from './endings.ts';
import { type Account, type Site, startSite } from './site.ts';
import { idOf, tellStory } from './story.ts';

const DAY_MS = 86_400_000;
/** 32 characters, each as wide as a Chinese one. */
const WIDE_NAME = 'ＷＩＤＥ'.repeat(8);

/** Who is hard to show, beside those of `tellStory`. */
const PEOPLE: [username: string, nickname: string, bio: string][] = [
  ['W'.repeat(32), WIDE_NAME, '宽'.repeat(200)],
  ['layla', 'ليلى حداد', 'أحب القهوة والكتب'],
  ['noa', 'נועה לוי', 'קפה, ספרים וים'],
  ['blocked', 'Somebody Else With A Rather Long Name', ''],
  ['priya', 'Priya Raman', 'Chess, chai, chickens'],
  ['stranger', 'Somebody Who Wants To Sell Something To Everyone', ''],
  ['omar', 'عمر', ''],
];

const TALK: [from: string, to: string, text: string][] = [
  ['noa', 'alice', 'שלום! נתראה מחר ב-10:30 ליד הגשר (South Bank)?'],
  ['alice', 'noa', 'מצוין, אביא קפה.'],
  ['layla', 'alice', 'مرحبا أليس، هل وصلتك الصور؟'],
  ['alice', 'layla', 'نعم، شكراً! They are great: https://example.org/صور?page=1'],
  ['layla', 'alice', 'إلى اللقاء غداً في الساعة 5 مساءً 🙂'],
  ['W'.repeat(32), 'alice', 'Here it is, as you asked, in one word:'],
  [
    'W'.repeat(32),
    'alice',
    'Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch'.repeat(80).slice(0, 4_000),
  ],
  ['W'.repeat(32), 'alice', 'Now you.'],
];

const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Version/18.5 Mobile/15E148 Safari/604.1';
const TABLET = 'Mozilla/5.0 (Linux; Android 15; SM-X710) AppleWebKit/537.36 Chrome/130.0.0.0 Safari/537.36';
const WORK =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/156.0.0.0 Safari/537.36 Edg/156.0.0.0';

/** 64 characters before the @, and a word of 42 after it. */
const ADDRESS = `${'alice'.repeat(12)}.wan@post.${'example'.repeat(6)}.org`;
const NETWORK = '2001:1db8:85a3:1234:5678:8a2e:9370:7334';

/** The keys of RFC 8291, section 5. */
const KEYS = {
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
};

export interface HardStory {
  site: Site;
  people: Map<string, Account>;
  db: Db;
}

/**
 * A site whose users are hard to show: `tellStory` a day ago, then names of 32 wide characters, Arabic and Hebrew, one word of
 * 4,000 letters, requests, a block, kept conversations, sessions, devices, an address and both logs of Alice. @returns the users by username
 */
export async function startHardStory(scope: Scope): Promise<HardStory> {
  let backMs = DAY_MS;
  const opened = Promise.withResolvers<Services>();
  const world = { now: () => Date.now() - backMs };
  // No mail is sent, as nothing listens there.
  const site = await startSite(scope, {
    world,
    env: { SMTP_URL: 'smtp://127.0.0.1:9' },
    opened: opened.resolve,
  });
  const { db } = await opened.promise;
  const people = await tellStory(site);
  await signIn(site, 'alice', PHONE);
  backMs = 3 * 60_000;
  for (const [username, nickname, bio] of PEOPLE) {
    const account = await site.join(username);
    people.set(username, account);
    await site.post('/api/user/profile', { nickname, bio }, account.token);
  }
  const call = async (username: string, path: string, body: object) => {
    const { status, body: answer } = await site.post(path, body, people.get(username)?.token);
    if (status !== 200) throw new Error(`${path}: ${answer.msg}`);
  };
  for (const [from, to, body] of TALK)
    await call(from, '/api/messages', { to: idOf(people, to), cid: crypto.randomUUID(), body });
  await changeMessages(call, people);
  const show = async (from: string, to: string, [width, height, hue]: [number, number, number], body = '') =>
    call(from, '/api/messages', {
      to: idOf(people, to),
      cid: crypto.randomUUID(),
      body,
      picture: await uploadPicture(
        site,
        people.get(from)?.token,
        drawnPicture(width, height, hue),
        drawnPicture(Math.ceil(width / 10), Math.ceil(height / 10), hue),
      ),
    });
  await show('noa', 'alice', [900, 600, 0], 'הגשר, אתמול בערב, אחרי הגשם');
  await show('noa', 'alice', [40, 30, 1]);
  await show('alice', 'noa', [300, 1200, 2], 'W'.repeat(60));
  await show('alice', 'noa', [1200, 100, 3]);
  const befriend = (from: string, to: string) =>
    call(from, '/api/friends/request', { userId: idOf(people, to) });
  for (const from of ['jonas', 'mei', 'layla', 'W'.repeat(32)]) await befriend(from, 'alice');
  await call('alice', '/api/friends/accept', { userId: idOf(people, 'jonas') });
  await befriend('alice', 'sam');
  await call('alice', '/api/user/block', { blockedId: idOf(people, 'blocked') });

  const keep = (peer: string, settings: object) =>
    call('alice', '/api/conversations/settings', { peer: idOf(people, peer), ...settings });
  await keep('layla', { pinned: 1 });
  await keep('W'.repeat(32), { pinned: 1, mutedUntil: Date.now() + DAY_MS });
  await keep('noa', { markedUnread: 1 });
  await keep('sam', { archived: 1 });

  await call('alice', '/api/user/privacy', { messages: 'requests' });
  const strange = (from: string, body: string) =>
    call(from, '/api/messages', { to: idOf(people, 'alice'), cid: crypto.randomUUID(), body });
  await strange('omar', 'مرحبا، هل تتذكرني من المدرسة؟');
  await strange(
    'stranger',
    'You have won! Claim it at https://example.org/prize?id=1234567890 before Friday.',
  );
  await strange('stranger', 'Or call +1 212 555 0100');
  await show('stranger', 'alice', [600, 400, 0], 'Look at this');

  const alice = idOf(people, 'alice');
  const subscribe = (agent: string, headers: Record<string, string>) => {
    const subscription = { endpoint: `https://127.0.0.1:9/${agent.length}`, keys: KEYS };
    return postAs(
      site,
      '/api/push/subscribe',
      { userId: alice, subscription },
      { 'user-agent': agent, ...headers },
    );
  };
  const { token } = await signIn(site, 'alice', WORK);
  await subscribe(WORK, { authorization: `Bearer ${token}` });
  // Without a token it is unconfirmed.
  await subscribe(TABLET, {});
  const logged = (peer: string, entry: Partial<LogEntry>, minutesAgo: number) =>
    writePushLog(
      db,
      { userId: alice, peerId: idOf(people, peer), kind: 'message', outcome: 'accepted', ...entry },
      Date.now() - minutesAgo * 60_000,
    );
  const work = { subscriptionId: 'gone', deviceName: WORK };
  for (let i = 0; i < 5; i++) await logged('jonas', { outcome: 'no_device' }, 200 - i);
  await logged('mei', { outcome: 'dnd' }, 120);
  await logged('W'.repeat(32), { ...work, status: 201 }, 90);
  await logged('layla', { outcome: 'seen', detail: PHONE }, 60);
  await logged('noa', { ...work, outcome: 'gone', status: 410, reason: 'gone' }, 30);
  await logged(
    'sam',
    { ...work, outcome: 'waiting', reason: 'timeout', waitingUntil: Date.now() + DAY_MS },
    5,
  );
  await db.run`
    insert into emails (user_id, address, address_key, language, verified_at)
    values (${alice}, ${ADDRESS}, ${ADDRESS}, 'en', ${Date.now()})`;
  const acted = async (what: AccountAct['what'], minutesAgo: number, act: Partial<AccountAct> = {}) =>
    logAct(db, { userId: alice, what, at: Date.now() - minutesAgo * 60_000, ...act });
  await acted('suspended', 4_000, {
    detail: { by: 'operator', reason: '广告 '.repeat(40), until: Date.now() },
  });
  await acted('restored', 3_000, { detail: { by: 'time' } });
  await acted('sign_in_failed', 90, { device: PHONE, address: NETWORK, detail: { n: 12 } });
  await acted('mail', 80, { detail: { kind: 'new_sign_in' } });
  await acted('email_verified', 70, { device: WORK, address: NETWORK });
  await acted('blocked', 60, { device: WORK, address: NETWORK, detail: { username: 'W'.repeat(32) } });
  await acted('session_ended', 50, { device: WORK, address: NETWORK, detail: { device: TABLET } });
  backMs = 0;
  return { site, people, db };
}

async function signIn(site: Site, username: string, agent: string): Promise<{ token: string }> {
  const body = { username, password: `password-of-${username}` };
  return postAs(site, '/api/login', body, { 'user-agent': agent });
}

async function postAs(site: Site, path: string, body: object, headers: Record<string, string>) {
  const answer = await fetch(site.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const { code, msg, data }: Body = await answer.json();
  if (code !== 200) throw new Error(`${path}: ${msg}`);
  return data;
}

/** Alice and Nora answer, edit, unsend and react. */
async function changeMessages(
  call: (username: string, path: string, body: object) => Promise<void>,
  people: ReadonlyMap<string, Account>,
): Promise<void> {
  const [alice, nora] = [idOf(people, 'alice'), idOf(people, 'nora')];
  const write = (from: string, to: string, body: string, replyTo?: number) =>
    call(from, '/api/messages', { to, cid: crypto.randomUUID(), body, ...(replyTo && { replyTo }) });
  await write('alice', nora, 'Row seven, by the window, with the best view over the whole harbour.', 1);
  await write('alice', nora, 'Ro wseven');
  await write('nora', alice, 'Thanks!', 2);
  await write('nora', alice, 'I never saw it from there');
  await write('alice', nora, '👍🏽', 4);
  await call('alice', '/api/messages/unsend', { peer: nora, n: 3 });
  await call('alice', '/api/messages/edit', {
    peer: nora,
    n: 2,
    body: 'Row seven, by the window, with the best view over the harbour.',
  });
  await call('nora', '/api/messages/unsend', { peer: alice, n: 5 });
  await call('nora', '/api/messages/react', { peer: alice, n: 2, emoji: '❤️' });
  await call('alice', '/api/messages/react', { peer: nora, n: 2, emoji: '❤️' });
  await call('alice', '/api/messages/react', { peer: nora, n: 4, emoji: '😂' });
  await write('alice', nora, 'See you on Monday then.');
}
