import type { LogEventData } from '../src/events/log-events.ts';
import { FRAMES_IN, type FrameName } from '../src/sockets/frames-in.ts';
import { EMPTY_PROFILE } from '../src/users/profile-fields.ts';

const [ALICE, BOB, CAROL] = ['1', '2', '3'].map((last) => `01980a7e-5b1c-7d60-8f2e-3a9b4c5d6e0${last}`);
const AT = 1_795_000_000_000;
/** Values for the `<words>` of the examples in docs/protocol.md. */
const SAMPLES: Record<string, unknown> = {
  '<id>': ALICE,
  '<alice>': ALICE,
  '<bob>': BOB,
  '<carol>': CAROL,
  '<epoch>': '01980a7e-0000-7000-8000-000000000000',
  '<epoch milliseconds>': AT,
  '<jwt>': 'eyJhbGciOiJFZERTQSIsInR5cCI6IkpXVCJ9.e30.c2lnbmF0dXJl',
  '<newer jwt>': 'eyJhbGciOiJFZERTQSIsInR5cCI6IkpXVCJ9.e30.bmV3ZXI',
};
/** Events whose causes are calls over HTTP, so that docs/protocol.md has no examples of them. */
const EVENTS: Partial<LogEventData> = {
  block: { userId: BOB ?? '' },
  unblock: { userId: BOB ?? '', revision: 3 },
  profile: {
    ...{ id: ALICE ?? '', username: 'alice', ...EMPTY_PROFILE, push_enabled: 1, dnd_enabled: 0 },
    ...{ nickname: 'Alice', gender: 'female', bio: 'Down the rabbit hole' },
  },
  settings: { push_enabled: 1, dnd_enabled: 1, push_preview: 'sender' },
  privacy: {
    ...{ messages: 'requests', friend_requests: 'everyone', presence: 'friends' },
    ...{ read_receipts: false, listed: true },
  },
  quiet: { until: 0, time_zone: 'Europe/Berlin', windows: [{ days: [1, 7], from: '22:00', to: '07:00' }] },
  report: { id: '01980a7e-5b1c-7d60-8f2e-3a9b4c5d6e0c', act: 'suspend' },
  sessions: { ended: ['01980a7e-5b1c-7d60-8f2e-3a9b4c5d6e0a'] },
  account: {
    what: 'new_sign_in',
    session: '01980a7e-5b1c-7d60-8f2e-3a9b4c5d6e0b',
    device: 'Firefox on Linux',
  },
};
const MOST_OF_A_MESSAGE = 2;

/** Payloads of frames by the keys of their messages: `hello`, `helloReply`, `reply`, `errorReply`, `messageEvent`, `liveFrame`. */
export type Examples = Record<string, object[]>;

/** The fields of a frame by which its message is recognized. */
interface Frame {
  type: string;
  id?: string;
  code?: number;
  event?: string;
}

/** Reads the examples of docs/protocol.md. A frame that is refused is no example of its message. */
export function readExamples(document: string): Examples {
  const found: Examples = {};
  for (const [event, data] of Object.entries(EVENTS))
    found[`${event}Event`] = [{ type: 'event', seq: 7, at: AT, event, data }];
  for (const [, lines = ''] of document.matchAll(/^```frames.*\n([\s\S]*?)^```$/gm)) {
    const frames = lines.split('\n').flatMap(readFrame);
    const refused = new Set(frames.flatMap(({ frame: { id, code = 200 } }) => (code === 200 ? [] : [id])));
    const requests = new Map<string, string>();
    for (const { isSent, frame } of frames) {
      const { type, id } = frame;
      if (isSent && id !== undefined) requests.set(id, type);
      if (isSent && id !== undefined && refused.has(id)) continue;
      const key = isSent ? type : keyOf(frame, requests.get(id ?? ''));
      found[key] ??= [];
      const those = found[key];
      const isNew = those.every((one) => JSON.stringify(one) !== JSON.stringify(frame));
      if (isNew && those.length < MOST_OF_A_MESSAGE) those.push(frame);
    }
  }
  return found;
}

/** The key of a frame of the service, which may answer a request. */
function keyOf({ type, code, event }: Frame, request: string | undefined): string {
  if (type === 'event') return `${event}Event`;
  if (type !== 'reply') return `${type}Frame`;
  if (code !== 200) return 'errorReply';
  return FRAMES_IN[request as FrameName].reply ? `${request}Reply` : 'reply'; // an example without its request fails
}

/** A line of an example; none if it is no frame, has a token of another session, or bad text on purpose. */
function readFrame(line: string): { isSent: boolean; frame: Frame }[] {
  const [, direction, text = ''] = /^(?:bob )?(->|<-) (\{.*\})$/.exec(line) ?? [];
  const words = text.match(/<[^>]+>/g) ?? [];
  if (text === '' || words.some((word) => !(word in SAMPLES)) || /\\u(?:0000|d8)/.test(text)) return [];
  const filled = text.replace(/"?(<[^>]+>)"?/g, (_, word: string) => JSON.stringify(SAMPLES[word]));
  return [{ isSent: direction === '->', frame: JSON.parse(filled) }];
}
