import { SAMPLES } from '../picture-samples.ts';

const PICTURE = SAMPLES.canvasPng.bytes.toString('base64');

/**
 * A program that calls each operation, by `openapi-fetch` with the types that `openapi-typescript` makes. It prints the code of each answer
 * by the name of its operation. Its arguments are the address of the service, the tokens of links: for a password, to verify an
 * address, and to end a session; and an API key.
 */
export const PROGRAM = `
import createClient from 'openapi-fetch';
import type { components, operations, paths } from './doorman.js';

type Shapes = components['schemas'];

declare const process: { argv: string[] };
const [, , baseUrl = '', link = '', verifyLink = '', endLink = '', apiKey = ''] = process.argv;
const client = createClient<paths>({ baseUrl });
const codes: Record<string, number> = {};

/** Notes the code of an answer. @returns its body, which must be that of a success */
function expect<Data>(operation: keyof operations, answer: { data?: Data; error?: unknown; response: Response }): Data {
  codes[operation] = answer.response.status;
  if (answer.data === undefined) throw new Error(\`\${operation}: \${JSON.stringify(answer.error)}\`);
  return answer.data;
}

expect('checkAlive', await client.GET('/healthz'));
expect('checkReady', await client.GET('/readyz'));
const version: string = expect('describe', await client.GET('/openapi.json')).openapi;
const keys: { kid: string }[] = expect('keySet', await client.GET('/.well-known/jwks.json')).keys;
const options: Shapes['ServiceOptions'] = expect('options', await client.GET('/api/options')).data;
const isOpen: boolean = options.registration === 'open' && options.mail;

const proof = { header: { 'Device-Proof': 'none' } };
const account: Shapes['RegisterBody'] = { username: 'alice', password: 'wonderland' };
const registered = await client.POST('/api/register', { params: proof, body: account });
const { id, token }: Shapes['Registered'] = expect('register', registered).data;
const proofHeader: operations['register']['responses'][200]['headers']['Device-Proof'] =
  registered.response.headers.get('device-proof') ?? undefined;
const login = expect('login', await client.POST('/api/login', { params: proof, body: account })).data;
const bob = expect('register', await client.POST('/api/register', { body: { username: 'bob', password: 'the-builder' } })).data;
const refused = await client.POST('/api/register', { body: account });
const refusal: Shapes['ErrorAnswer'] | undefined = refused.error;

const headers = { authorization: \`Bearer \${token}\` };
const fresh = await client.POST('/api/token', { headers, params: proof });
const renewed: string = expect('freshToken', fresh).data.token;
const sessions: Shapes['SessionEntry'][] = expect('sessions', await client.GET('/api/sessions', { headers })).data;
const current: 0 | 1 | undefined = sessions[0]?.current;
const other = sessions.find((session) => session.current === 0)?.id ?? '';
expect('endSession', await client.POST('/api/sessions/end', { headers, body: { id: other } }));
expect('endSession', await client.POST('/api/sessions/end', { headers, body: { others: true } }));
expect('endSessionByLink', await client.POST('/api/sessions/end-by-link', { body: { token: endLink } }));

const confirmed = await client.POST('/api/account/confirm', { headers, body: { password: account.password } });
const until: number = expect('confirm', confirmed).data.until;
expect('setEmail', await client.POST('/api/account/email', { headers, body: { email: 'alice@example.org', lang: 'en' } }));
const own: Shapes['Account'] = expect('account', await client.GET('/api/account', { headers })).data;
const verified = await client.POST('/api/account/email/verify', { body: { token: verifyLink } });
const address: string = expect('verifyEmail', verified).data.email;
void (() => client.POST('/api/account/email/verify', { headers, body: { code: '12345678' } }));
expect('removeEmail', await client.POST('/api/account/email/remove', { headers }));
expect('forgotPassword', await client.POST('/api/password/forgot', { body: { account: 'alice' } }));
const logged = await client.GET('/api/account/log', { headers, params: { query: { limit: 2 } } });
const acts: Shapes['AccountLogPage'] = expect('accountLog', logged).data;
const act: Shapes['AccountAct'] | undefined = acts.items[0]?.what;
const detail: string | number | undefined = acts.items[0]?.detail.kind;

const users = expect('users', await client.GET('/api/users', { headers, params: { query: { q: 'b', online: 0, limit: 10 } } }));
const gender: '' | 'male' | 'female' | 'secret' | undefined = users.data[0]?.gender;
const { data: profile } = expect('profileOf', await client.GET('/api/user/profile/{userId}', { params: { path: { userId: id } } }));
expect('updateProfile', await client.POST('/api/user/profile', { headers, body: { gender: 'female', bio: 'x' } }));

const upload = {
  headers: { ...headers, 'content-type': 'image/png' },
  body: Uint8Array.from(atob('${PICTURE}'), (one) => one.charCodeAt(0)),
  bodySerializer: (body: unknown) => body as Uint8Array<ArrayBuffer>,
};
const avatar: string = expect('uploadAvatar', await client.POST('/api/user/avatar', upload)).data.avatar;
const avatarById = { params: { path: { id: avatar.slice(avatar.lastIndexOf('/') + 1) } }, parseAs: 'blob' } as const;
expect('avatar', await client.GET('/media/avatars/{id}', avatarById));
const picture: Shapes['Picture'] = expect('uploadPicture', await client.POST('/api/pictures', upload)).data;
const byId = { params: { path: { id: picture.id } } };
expect('uploadPreview', await client.POST('/api/pictures/{id}/preview', { ...upload, ...byId }));
expect('picture', await client.GET('/api/pictures/{id}', { headers, ...byId, parseAs: 'blob' }));
expect('picturePreview', await client.GET('/api/pictures/{id}/preview', { headers, ...byId, parseAs: 'blob' }));

const settings = await client.POST('/api/user/settings', { headers, body: { dndEnabled: true, pushPreview: 'none' } });
const { push_enabled, dnd_enabled }: { push_enabled: 0 | 1; dnd_enabled: 0 | 1 } = expect('updateSettings', settings).data;

const privacy: Shapes['Privacy'] = expect('privacy', await client.GET('/api/user/privacy', { headers })).data;
const hidden = await client.POST('/api/user/privacy', { headers, body: { messages: 'requests', presence: 'friends', readReceipts: false } });
const whoSees: 'everyone' | 'friends' | 'nobody' = expect('setPrivacy', hidden).data.presence;

const nights = { timeZone: 'UTC', windows: [{ days: [1, 7], from: '22:00', to: '07:00' }] };
expect('setQuiet', await client.POST('/api/user/quiet', { headers, body: nights }));
const zone: string = expect('quiet', await client.GET('/api/user/quiet', { headers })).data.time_zone;

const stranger = { headers: { authorization: \`Bearer \${bob.token}\` }, body: { to: id, cid: 'b1', body: 'Hi' } };
expect('sendMessage', await client.POST('/api/messages', stranger));
const accepted = await client.POST('/api/conversations/request', { headers, body: { peer: bob.id, act: 'accept' } });
const answered: 'accepted' | 'declined' = expect('answerMessageRequest', accepted).data.state;
expect('sendMessage', await client.POST('/api/messages', { headers, body: { to: bob.id, cid: 'c1', body: 'Tea?' } }));
expect('sendMessage', await client.POST('/api/messages', { headers, body: { to: bob.id, cid: 'c2', body: 'Yes', replyTo: 1 } }));
const named = { peer: bob.id, n: 2 };
const edited: number = expect('editMessage', await client.POST('/api/messages/edit', { headers, body: { ...named, body: 'Cake?' } })).data.editedAt;
expect('reactToMessage', await client.POST('/api/messages/react', { headers, body: { ...named, emoji: '👍' } }));
const history = { params: { query: { peer: bob.id, after: 0, before: 9, limit: 5 } } };
const page: Shapes['HistoryPage'] = expect('history', await client.GET('/api/messages', { headers, ...history })).data;
const search = { params: { query: { q: 'cake', limit: 5 } } };
const found: Shapes['FoundMessage'][] = expect('search', await client.GET('/api/search', { headers, ...search })).data;
const messages: Shapes['Message'][] = [...page.items, ...page.quoted, ...found];
const reaction: string | undefined = messages[0]?.reactions?.[id];
expect('unsendMessage', await client.POST('/api/messages/unsend', { headers, body: named }));
expect('markRead', await client.POST('/api/messages/mark', { headers, body: { peer: bob.id, read: 1 } }));
const listed = { params: { query: { limit: 1, peer: bob.id, list: 'requests' } } } as const;
const conversations = expect('conversations', await client.GET('/api/conversations', { headers, ...listed }));
const next: string | undefined = conversations.next;
const pin = { headers, body: { peer: bob.id, pinned: 1 as const, mutedUntil: 0 } };
const kept: Shapes['KeptConversation'] = expect('setConversation', await client.POST('/api/conversations/settings', pin)).data;
expect('clearConversation', await client.POST('/api/conversations/clear', { headers, body: named }));

const friend = { headers, body: { userId: bob.id } };
const asked = expect('requestFriend', await client.POST('/api/friends/request', friend)).data;
const state: 'none' | 'requested' | 'asked' | 'friends' = asked.state;
const friends = await client.GET('/api/friends', { headers, params: { query: { list: 'requests', limit: 200 } } });
const listedState: 'requested' | 'asked' | 'friends' | undefined = expect('friends', friends).data[0]?.state;
expect('cancelFriend', await client.POST('/api/friends/cancel', friend));
const bobs = { headers: { authorization: \`Bearer \${bob.token}\` }, body: { userId: id } };
expect('requestFriend', await client.POST('/api/friends/request', bobs));
expect('acceptFriend', await client.POST('/api/friends/accept', friend));
expect('removeFriend', await client.POST('/api/friends/remove', friend));
expect('declineFriend', await client.POST('/api/friends/decline', friend));
const exporting: Shapes['ExportTicket'] = expect('exportTicket', await client.POST('/api/account/export', { headers })).data;
const download = { params: { query: { ticket: exporting.ticket } }, parseAs: 'text' as const };
expect('exportData', await client.GET('/api/account/export', download));
const snapshot: Shapes['Snapshot'] = expect('snapshot', await client.GET('/api/sync', { headers })).data;

const block = { headers, body: { blockedId: bob.id } };
const since: number = expect('block', await client.POST('/api/user/block', block)).data.create_time;
expect('blocked', await client.GET('/api/user/blocked', { headers, params: { query: { limit: 1 } } }));
expect('unblock', await client.POST('/api/user/unblock', block));

const complaint = { userId: bob.id, reason: 'spam' as const, text: 'x', messages: [1], block: false };
const report: string = expect('report', await client.POST('/api/report', { headers, body: complaint })).data.id;

const publicKey: string = expect('pushKey', await client.GET('/api/push/public-key')).publicKey;
const subscription = { endpoint: 'https://push.example.net/1', keys: { p256dh: 'BAAA', auth: 'AAAA' } };
expect('pushSubscribe', await client.POST('/api/push/subscribe', { headers, body: { userId: id, subscription } }));
const serialized = { userId: id, subscription: JSON.stringify(subscription), lang: 'en' };
expect('pushSubscribe', await client.POST('/api/push/subscribe', { headers, body: serialized }));
const devices: Shapes['PushDevice'][] = expect('pushDevices', await client.GET('/api/push/devices', { headers })).data;
const test = await client.GET('/api/push/test-send', { headers, params: { query: { userId: id, detail: 1 } } });
const sent: Shapes['PushLogEntry'][] | undefined = expect('pushTest', test).data;
const outcome: Shapes['PushLogOutcome'] | undefined = sent?.[0]?.outcome;
const log = expect('pushLog', await client.GET('/api/push/log', { headers })).data;
const kind: 'message' | 'test' | undefined = log[0]?.kind;
const receipt = { receipt: 'A'.repeat(43), event: 'shown' } as const;
expect('pushReceipt', await client.POST('/api/push/receipt', { body: receipt }));
const { endpoint } = subscription;
expect('pushUnsubscribe', await client.POST('/api/push/unsubscribe', { headers, body: { endpoint } }));
void (() => client.POST('/api/push/unsubscribe', { headers, body: { id: devices[0]?.id ?? '' } }));

const byKey = { headers: { authorization: \`Bearer \${apiKey}\` } };
const erin: Shapes['PutUserBody'] = { id: 'shop|7', username: 'erin', verified_email: 'erin@example.org' };
const { created, user } = expect('putUser', await client.POST('/api/admin/users', { ...byKey, body: erin })).data;
const ofErin = { ...byKey, params: { path: { userId: erin.id } } };
const shown: Shapes['AdminUser'] = expect('getUser', await client.GET('/api/admin/users/{userId}', ofErin)).data;
const status: 'active' | 'suspended' | 'deleted' = user.status;
const everyone = expect('listUsers', await client.GET('/api/admin/users', { ...byKey, params: { query: { limit: 1 } } }));
const more: string | undefined = everyone.next;
const ids = { ...byKey, params: { query: { ids: erin.id } } };
const present: Shapes['UserPresence'][] = expect('presenceOf', await client.GET('/api/admin/presence', ids)).data;
const ended = { ...byKey, body: { userId: erin.id } };
expect('signInUser', await client.POST('/api/admin/sessions', { ...byKey, body: { userId: erin.id, confirmed: true } }));
expect('endSessionsOfUser', await client.POST('/api/admin/sessions/end', ended));
const pair = { userId: erin.id, peerId: bob.id, friends: true };
expect('setFriends', await client.POST('/api/admin/friends/set', { ...byKey, body: pair }));
const notice = { from: erin.id, to: bob.id, cid: 'k1', body: 'Shipped' };
const noticed = expect('sendMessages', await client.POST('/api/admin/messages', { ...byKey, body: { messages: [notice] } })).data;
const blocking = { ...byKey, body: { userId: erin.id, blockedId: bob.id } };
expect('blockAsUser', await client.POST('/api/admin/block', blocking));
expect('unblockAsUser', await client.POST('/api/admin/unblock', blocking));
expect('suspendUser', await client.POST('/api/admin/users/suspend', ended));
expect('restoreUser', await client.POST('/api/admin/users/restore', ended));
expect('deleteUser', await client.POST('/api/admin/users/delete', ended));

const passwords = { oldPassword: account.password, newPassword: 'another one' };
expect('changePassword', await client.POST('/api/user/change-password', { headers, body: passwords }));
expect('usePasswordLink', await client.POST('/api/password-link', { body: { token: link, newPassword: 'a new one' } }));
const signedIn = await client.POST('/api/login', { body: { username: 'alice', password: 'another one' } });
const last = { headers: { authorization: \`Bearer \${expect('login', signedIn).data.token}\` } };
expect('logout', await client.POST('/api/logout', last));
const signedInAgain = expect('login', await client.POST('/api/login', { body: { username: 'alice', password: 'another one' } }));
const leaver = { headers: { authorization: \`Bearer \${signedInAgain.data.token}\` } };
const deletedAt: number = expect('deleteAccount', await client.POST('/api/account/delete', leaver)).data.until;
const leaving = (await client.POST('/api/login', { body: { username: 'alice', password: 'another one' } })).error;
const ticket = leaving !== undefined && 'ticket' in leaving ? leaving.ticket : undefined;
expect('keepAccount', await client.POST('/api/account/keep', { params: proof, body: { ticket: ticket ?? '' } }));
const socket = await client.GET('/ws', { params: { header: { 'Sec-WebSocket-Protocol': 'doorman.v1' } } });
codes.openSocket = socket.response.status;

// Each of these has one mistake.
const mistakes = [
  // @ts-expect-error: a password is missing
  () => client.POST('/api/register', { body: { username: 'bob' } }),
  // @ts-expect-error: there is no such call
  () => client.GET('/api/nothing'),
  // @ts-expect-error: a profile has no token
  () => profile.token,
  // @ts-expect-error: no such gender
  () => client.POST('/api/user/profile', { body: { gender: 'unknown' } }),
  // @ts-expect-error: neither an endpoint nor an id
  () => client.POST('/api/push/unsubscribe', { body: {} }),
  // @ts-expect-error: neither a code nor a token
  () => client.POST('/api/account/email/verify', { headers, body: {} }),
  // @ts-expect-error: neither an id nor all others
  () => client.POST('/api/sessions/end', { headers, body: {} }),
  // @ts-expect-error: no such act
  () => act === 'teleported',
  // @ts-expect-error: a subscription has an endpoint and keys
  () => client.POST('/api/push/subscribe', { body: { userId: id, subscription: {} } }),
  // @ts-expect-error: a page has a whole number of entries
  () => client.GET('/api/users', { params: { query: { limit: 'ten' } } }),
  // @ts-expect-error: 1 or 0
  () => client.GET('/api/users', { params: { query: { online: 2 } } }),
  // @ts-expect-error: no such list
  () => client.GET('/api/friends', { params: { query: { list: 'all' } } }),
  // @ts-expect-error: 1 or 0
  () => client.POST('/api/conversations/settings', { headers, body: { peer: bob.id, pinned: true } }),
  // @ts-expect-error: no such state
  () => asked.state === 'blocked',
  // @ts-expect-error: no such outcome
  () => outcome === 'teleported',
  // @ts-expect-error: the code of a success is 200
  () => users.code === 201,
];
void [version, keys, isOpen, proofHeader, login, renewed, current, gender, push_enabled, dnd_enabled, messages, next];
void [state, listedState, snapshot, since, publicKey, outcome, kind, mistakes];
void [until, report, own, address, act, detail, deletedAt];
void [privacy, whoSees, answered, zone];
void [edited, reaction, kept];
void [created, shown, status, more, present, noticed];
console.log(JSON.stringify({ codes, profile, refusal }));
`;
