// A chat client for a terminal, in one file and without dependencies, on any Node from 22 on. It shows how a client of
// the socket stays in step with the service: it resumes where it was, sends again what was not acknowledged, and obeys
// what the close codes ask for. The frames are described in protocol.md.
//
//   node docs/chat.mjs NAME PASSWORD [--url http://localhost:3000]
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';

const USAGE = `/to NAME text, or NAME: text   write to somebody
/block NAME, /unblock NAME     hear from somebody no more, or again
/friend NAME                   ask somebody, or agree
/who                           everybody, and who is online
/history NAME                  the last messages
/bye                           go`;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { url: { type: 'string', default: 'http://localhost:3000' } },
});
const [name, password] = positionals;
if (!name || !password) {
  console.error('node docs/chat.mjs NAME PASSWORD [--url http://localhost:3000]');
  process.exit(2);
}
const service = values.url.replace(/\/$/, '');

// ---- Over HTTP: who we are, and whom we may write to.

let token = '';
let userId = '';
/** Both ways: id by name, and name by id. */
const idOf = new Map();
const nameOf = new Map();

/** Calls the interface; every answer is an envelope with a `code`. */
async function call(path, body) {
  const response = await fetch(`${service}/api${path}`, {
    method: body ? 'POST' : 'GET',
    headers: {
      ...(body && { 'content-type': 'application/json' }),
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: body && JSON.stringify(body),
  });
  return response.json();
}

/** Registers, or logs in if the name is known. */
async function logIn() {
  token = '';
  let answer = await call('/register', { username: name, password });
  if (answer.error === 'username_taken') answer = await call('/login', { username: name, password });
  if (answer.code !== 200) throw new Error(answer.msg);
  ({ token, id: userId } = answer.data);
}

async function readPeople() {
  const { code, data, msg } = await call('/users');
  if (code !== 200) throw new Error(msg);
  for (const { id, username } of data) {
    idOf.set(username, id);
    nameOf.set(id, username);
  }
  return data;
}

async function findId(username) {
  if (!idOf.has(username)) await readPeople();
  const id = idOf.get(username);
  if (!id) throw new Error(`nobody is called ${username}`);
  return id;
}

async function findName(id) {
  if (!nameOf.has(id)) await readPeople();
  if (!nameOf.has(id)) nameOf.set(id, id); // deleted; not to be asked for again and again
  return nameOf.get(id);
}

// ---- Where this device is in the log, and what it has not delivered yet, outlive the process.

const stateFile = join(tmpdir(), `doorman-chat-${encodeURIComponent(`${service} ${name}`)}.json`);

function readState() {
  try {
    return JSON.parse(readFileSync(stateFile, 'utf8'));
  } catch {
    return { epoch: undefined, seq: 0, unsent: [] };
  }
}

const state = readState();

function saveState() {
  writeFileSync(stateFile, JSON.stringify(state), { mode: 0o600 });
}

// ---- The socket.

let socket;
let isLive = false;
let isLeaving = false;
/** What waits for a reply, by the `id` of its request. */
const asked = new Map();

/** Sends a request and waits for its reply; rejects if the connection ends before. */
function ask(frame) {
  if (socket?.readyState !== WebSocket.OPEN) return Promise.reject(new Error('not connected'));
  const id = randomUUID();
  socket.send(JSON.stringify({ ...frame, id }));
  return new Promise((resolve, reject) => asked.set(id, { resolve, reject }));
}

/** Stays connected, whatever happens, until there is a reason not to. */
async function stayConnected() {
  let failures = 0;
  for (;;) {
    const { code, reason, livedMs, spreadMs } = await connectOnce();
    if (isLeaving || code === 1000) return;
    // Only what lasted was a success: else a service that lets us in and throws us out would be asked without rest.
    if (livedMs >= 10_000) failures = 0;
    const advice = await obey(code, reason);
    if (advice) return advice;
    const longest = code === 1012 && spreadMs ? spreadMs : Math.min(1000 * 2 ** failures, 30_000);
    failures++;
    print(`-- disconnected (${code}${reason && ` ${reason}`}), coming back`);
    await sleep(Math.random() * longest);
  }
}

/** What a close code asks for. @returns why to give up; nothing if coming back is right */
async function obey(code, reason) {
  if (code === 4401) {
    try {
      await logIn();
    } catch (error) {
      // What has a cause is the network's, and is tried again with the rest.
      if (!error.cause) return error.message;
    }
  }
  if ([1002, 1003, 1007, 1008, 4413].includes(code)) return `this client is wrong: ${reason}`;
  if (code === 4403) return `the account is ${reason === 'suspended' ? reason : 'to be deleted'}`;
  if (code === 4409) return 'logged out from another device; start again to log in';
  if (code === 4429 && reason === 'too_many_sockets') return 'another device has taken this one’s place';
  return undefined;
}

/** One connection from its beginning to its end. */
function connectOnce() {
  return new Promise((resolve) => {
    let liveAt;
    let spreadMs;
    let isHeard = true;
    let isOver = false;
    const end = (code, reason) => {
      if (isOver) return;
      isOver = true;
      clearInterval(watch);
      isLive = false;
      for (const { reject } of asked.values()) reject(new Error('the connection was lost'));
      asked.clear();
      const livedMs = liveAt === undefined ? 0 : performance.now() - liveAt;
      resolve({ code, reason, livedMs, spreadMs });
    };
    // A network that is gone says nothing; whoever does not answer for so long is not there.
    const watch = setInterval(() => {
      if (!isHeard) {
        socket.close();
        end(1006, 'silence');
      } else if (socket.readyState === WebSocket.OPEN) socket.send('{"type":"ping"}');
      isHeard = false;
    }, 30_000);
    socket = new WebSocket(`${service.replace(/^http/, 'ws')}/ws`, 'doorman.v1');
    socket.onopen = () => hello().catch(() => {}); // the close that follows says why
    socket.onmessage = ({ data }) => {
      if (isOver) return; // given up: what it still brings comes again
      isHeard = true;
      const frame = JSON.parse(data);
      if (frame.type === 'live') {
        liveAt = performance.now();
        becomeLive();
      } else if (frame.type === 'drain') {
        ({ spreadMs } = frame);
      } else hear(frame);
    };
    socket.onclose = ({ code, reason }) => end(code, reason);
    // A connection that never opened ends without `close` in Node 22.
    socket.onerror = () => end(1006, '');
  });
}

async function hello() {
  // Without an epoch, seq 0 asks for all that is kept.
  const { code, data } = await ask({ type: 'hello', token, epoch: state.epoch, seq: state.seq });
  if (code !== 200) return;
  if (!data.resumed) {
    // The log is another one, or what we missed is no longer in it. A client that keeps conversations asks `sync` now.
    print('-- too much happened meanwhile: see /history NAME');
    state.seq = data.seq;
  }
  state.epoch = data.epoch;
  saveState();
}

async function becomeLive() {
  isLive = true;
  print('-- live');
  acknowledgeSoon();
  for (const message of [...state.unsent]) await submit(message);
}

/** Frames are heard one after the other, as looking up a name takes a moment. */
let hearing = Promise.resolve();

function hear(frame) {
  if (frame.type === 'reply') {
    asked.get(frame.id)?.resolve(frame);
    asked.delete(frame.id);
  } else if (frame.type === 'event') {
    const from = socket;
    hearing = hearing.then(() => take(frame, from)).catch((error) => print(`-- ${error.message}`));
  }
}

async function take({ seq, event, data }, from) {
  if (from !== socket) return; // of a connection that ended: it comes again
  if (seq > state.seq) {
    await show(event, data);
    state.seq = seq;
    saveState();
  }
  if (event === 'message' && data.from !== userId) readUpTo.set(data.peer, data.n);
  acknowledgeSoon();
}

/** Numbers of the last messages that were shown and not marked as read, by conversation. */
const readUpTo = new Map();
let isAcknowledging = false;

function acknowledgeSoon() {
  if (isAcknowledging) return;
  isAcknowledging = true;
  setTimeout(acknowledge, 250);
}

/**
 * Says what was kept and shown, which is what saves its user a push. Not for each event: after a long time away there
 * are many, and a connection may send 20 frames a second.
 */
function acknowledge() {
  isAcknowledging = false;
  if (!isLive) return; // again when we are
  socket.send(JSON.stringify({ type: 'ack', seq: state.seq }));
  for (const [peer, read] of [...readUpTo].slice(0, 3)) {
    readUpTo.delete(peer);
    ask({ type: 'mark', peer, read }).catch(() => readUpTo.set(peer, read));
  }
  if (readUpTo.size > 0) acknowledgeSoon();
}

async function show(event, data) {
  if (event === 'message' && data.from !== userId) print(`${await findName(data.from)}: ${textOf(data)}`);
  if (Object.hasOwn(CHANGES, event)) print(`-- ${await findName(data.by)} ${CHANGES[event](data)}`);
  if (event === 'block') print(`-- you block ${await findName(data.userId)}`);
  if (event === 'unblock') print(`-- you no longer block ${await findName(data.userId)}`);
  if (event === 'friend') print(`-- ${await findName(data.userId)}: ${FRIEND_STATES[data.state]}`);
  if (event === 'marked' && data.by !== userId) await showRead(data);
}

const CHANGES = {
  unsent: ({ n }) => `unsent message ${n}`,
  edited: ({ n, body = '' }) => `edited message ${n}: ${body}`,
  reaction: ({ n, emoji }) => `reacts to message ${n}: ${emoji || 'no more'}`,
};

function textOf({ body, unsentAt }) {
  return unsentAt ? '(unsent)' : body;
}

/** How far others have read, as they were last said to. */
const shownRead = new Map();

async function showRead({ peer, read }) {
  if (read <= (shownRead.get(peer) ?? 0)) return;
  shownRead.set(peer, read);
  print(`-- ${await findName(peer)} has read up to message ${read}`);
}

const FRIEND_STATES = {
  none: 'no friend',
  requested: 'was asked to be a friend',
  asked: 'asks to be a friend',
  friends: 'a friend now',
};

/**
 * A message has a `cid` and is kept until its reply. If the connection breaks in between, nobody knows whether it was
 * stored; it is sent again under the same `cid`, and the service stores it once.
 */
async function write(username, body) {
  const message = { to: await findId(username), cid: randomUUID(), body };
  state.unsent.push(message);
  saveState();
  if (isLive) await submit(message);
  else print('-- will be sent when connected');
}

async function submit(message) {
  let reply;
  try {
    reply = await ask({ type: 'send', ...message });
  } catch {
    return; // it is sent again when we are live again
  }
  if (reply.code === 429 || reply.code === 500) {
    await sleep(1000 + Math.random() * 2000);
    if (isLive && state.unsent.includes(message)) await submit(message);
    return;
  }
  state.unsent = state.unsent.filter(({ cid }) => cid !== message.cid);
  saveState();
  const to = await findName(message.to);
  print(
    reply.code === 200
      ? `-- message ${reply.data.n} to ${to} is stored`
      : `-- not sent to ${to}: ${reply.msg}`,
  );
}

// ---- What is typed.

const commands = {
  '/to': (rest) => {
    const [, username, body] = /^(\S+)\s+(.+)$/.exec(rest) ?? [];
    if (!username) throw new Error('/to NAME text');
    return write(username, body);
  },
  '/block': async (username) => callAbout('/user/block', { blockedId: await findId(username) }),
  '/unblock': async (username) => callAbout('/user/unblock', { blockedId: await findId(username) }),
  '/friend': async (username) =>
    refusalOf(await ask({ type: 'friend', op: 'request', userId: await findId(username) })),
  '/who': async () => {
    for (const { username, isOnline } of await readPeople()) print(`${isOnline ? '*' : ' '} ${username}`);
  },
  '/history': async (username) => {
    const reply = await ask({ type: 'history', peer: await findId(username), limit: 20 });
    refusalOf(reply);
    for (const message of reply.data.items)
      print(`#${message.n} ${await findName(message.from)}: ${textOf(message)}`);
  },
  '/bye': () => {
    isLeaving = true;
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ type: 'bye' }));
    else process.exit(0);
  },
};

/** What was done by it comes as an event. */
async function callAbout(path, body) {
  refusalOf(await call(path, body));
}

function refusalOf({ code, msg }) {
  if (code !== 200) throw new Error(msg);
}

async function obeyLine(line) {
  const text = line.trim();
  if (text === '') return;
  const [, username, body] = /^([^\s/:]+):\s*(.+)$/.exec(text) ?? [];
  if (username) return write(username, body);
  const [word] = text.split(' ', 1);
  if (!Object.hasOwn(commands, word)) return console.log(USAGE);
  await commands[word](text.slice(word.length).trim());
}

function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** What others wrote must not steer the terminal. */
function print(text) {
  console.log(text.replace(/\p{Cc}/gu, ' '));
}

try {
  await logIn();
} catch (error) {
  console.error(`${error.message}${error.cause ? `: ${service} does not answer` : ''}`);
  process.exit(1);
}
print(`-- you are ${name}; /help tells the rest`);
const lines = createInterface({ input: process.stdin });
let typing = Promise.resolve();
lines.on('line', (line) => {
  typing = typing.then(() => obeyLine(line)).catch((error) => print(`-- ${error.message}`));
});
lines.on('close', () => typing.then(commands['/bye']));
const why = await stayConnected();
if (why) console.error(`-- ${why}`);
process.exit(why ? 1 : 0);
