import type { Conversation, OwnUser } from 'doorman-client';
import { isNumber, isString, list, pair, record } from '../data/persisted-shapes.ts';
import type { KeptShapes, KeptSources } from '../data/persistence.ts';
import type { OwnAccount } from '../features/account/model/own-account.ts';
import { isKeptProfile, isKeptSettings } from '../features/account/model/persisted-shapes.ts';
import type { SettingsView } from '../features/account/model/views.ts';
import type { Chats } from '../features/chat/model/chats.ts';
import { newest } from '../features/chat/model/message-range.ts';
import {
  isKeptConversation,
  isKeptThread,
  type KeptThread,
} from '../features/chat/model/persisted-shapes.ts';
import type { Blocks } from '../features/contacts/model/blocks.ts';
import type { Friends } from '../features/contacts/model/friends.ts';
import type { KeptName } from '../features/contacts/model/name-cache.ts';
import type { People } from '../features/contacts/model/people.ts';
import { isKeptBlock, isKeptFriend, isKeptNames } from '../features/contacts/model/persisted-shapes.ts';
import type { BlockedView, FriendView } from '../features/contacts/model/views.ts';

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
  readonly ownAccount: OwnAccount;
}

/** What is kept of each kind, as `Keeping` takes it. */
export interface KeptTypes {
  readonly list: KeptList;
  readonly name: KeptName;
  readonly thread: KeptThread;
}

/** What the page starts from before the service answers. */
export interface KeptList {
  /** Of the database: numbers of another are void. */
  readonly epoch: string;
  readonly profile: OwnUser;
  readonly settings: SettingsView;
  readonly friends: readonly FriendView[];
  readonly blocks: readonly BlockedView[];
  readonly conversations: readonly Conversation[];
  /** Marks that the service had not confirmed. */
  readonly reads: readonly (readonly [peer: string, n: number])[];
}

const isKeptList = record<KeptList>({
  epoch: isString,
  profile: isKeptProfile,
  settings: isKeptSettings,
  friends: list(isKeptFriend),
  blocks: list(isKeptBlock),
  conversations: list(isKeptConversation),
  reads: list(pair(isString, isNumber)),
});

export const KEPT_SHAPES: KeptShapes<KeptTypes> = {
  list: isKeptList,
  names: isKeptNames,
  thread: isKeptThread,
};

/** What of the stores is to be kept on this device. @param epochOf of the database; empty: nothing is known yet */
export function keptSources(stores: Stores, epochOf: () => string): KeptSources<KeptTypes> {
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
export function restoreList(
  { chats, people, friends, blocks, ownAccount: own }: Stores,
  kept: KeptList,
): void {
  own.restore(kept.profile, kept.settings);
  people.names.note([kept.profile], 0);
  blocks.restore(kept.blocks);
  friends.restore(kept.friends);
  chats.restore(kept.conversations, kept.reads);
}

function keptList({ chats, friends, blocks, ownAccount: own }: Stores, epoch: string): KeptList | undefined {
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
