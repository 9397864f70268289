import type { Account, Site } from './site.ts';

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

/** How many messages Alice and Jonas have exchanged. */
export const TALK_LENGTH = TALK.length;

/** Creates users with conversations with Alice, for screenshots. @returns the users by username */
export async function tellStory(site: Site): Promise<Map<string, Account>> {
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

export function idOf(people: ReadonlyMap<string, Account>, name: string): string {
  const account = people.get(name);
  if (!account) throw new Error(`there is no ${name}`);
  return account.id;
}
