import type { KeptSources } from '../data/keeping.ts';
import type { KeptList, KeptThread } from '../data/kept.ts';
import type { Own } from '../features/account/model/own.ts';
import type { Chats } from '../features/chat/model/chats.ts';
import { newest } from '../features/chat/model/message-range.ts';
import type { Blocks } from '../features/contacts/model/blocks.ts';
import type { Friends } from '../features/contacts/model/friends.ts';
import type { People } from '../features/contacts/model/people.ts';

const MAX_CONVERSATIONS = 500;
const MAX_FRIENDS = 1_000;
const MAX_BLOCKS = 1_000;
const MAX_NAMES = 1_000;
/** Of one thread: its last page, and no more text than this. */
const MAX_MESSAGES = 50;
const MAX_CHARACTERS = 100_000;

/** Whatever is kept of. */
interface Stores {
  readonly chats: Chats;
  readonly people: People;
  readonly friends: Friends;
  readonly blocks: Blocks;
  readonly own: Own;
}

/** What of the stores is to be kept on this device. @param epochOf of the database; empty: nothing is known yet */
export function keptSources(stores: Stores, epochOf: () => string): KeptSources {
  return {
    list: () => keptList(stores, epochOf()),
    names: () => {
      const { chats, people, friends, blocks } = stores;
      return people.names.kept(MAX_NAMES, (id) => chats.has(id) || friends.has(id) || blocks.has(id));
    },
    thread: (peer) => keptThread(stores.chats, peer, epochOf()),
    draft: (peer) => stores.chats.drafts.kept(peer),
  };
}

/** Shows what was kept, until the service tells. */
export function restoreList({ chats, people, friends, blocks, own }: Stores, kept: KeptList): void {
  own.restore(kept.profile, kept.settings);
  people.names.note([kept.profile], 0);
  blocks.restore(kept.blocks);
  friends.restore(kept.friends);
  chats.restore(kept.conversations, kept.reads);
}

function keptList({ chats, friends, blocks, own }: Stores, epoch: string): KeptList | undefined {
  const self = own.kept();
  if (!self || epoch === '') return undefined;
  const { conversations, reads } = chats.kept();
  return {
    epoch,
    ...self,
    friends: friends.kept(MAX_FRIENDS),
    blocks: blocks.kept(MAX_BLOCKS),
    conversations: conversations.slice(0, MAX_CONVERSATIONS),
    reads,
  };
}

function keptThread(chats: Chats, peer: string, epoch: string): KeptThread | undefined {
  const { range } = chats.thread(peer);
  if (!range || epoch === '') return undefined;
  return { epoch, peer, at: Date.now(), ...newest(range, MAX_MESSAGES, MAX_CHARACTERS) };
}
