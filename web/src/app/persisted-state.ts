import type { OwnUser } from 'doorman-client';
import { isNumber, isString, list, pair, record } from '../data/persisted-shapes.ts';
import type { OwnAccount } from '../features/account/model/own-account.ts';
import { isPersistedProfile, isPersistedSettings } from '../features/account/model/persisted-shapes.ts';
import type { SettingsView } from '../features/account/model/views.ts';
import { newest } from '../features/chat/messages/message-range.ts';
import type { Chats } from '../features/chat/model/chats.ts';
import {
  isPersistedConversation,
  isPersistedDraft,
  isPersistedThread,
  type PersistedChats,
  type PersistedThread,
} from '../features/chat/model/persisted-shapes.ts';
import type { Blocks } from '../features/contacts/model/blocks.ts';
import type { Friends } from '../features/contacts/model/friends.ts';
import type { People } from '../features/contacts/model/people.ts';
import {
  isPersistedBlock,
  isPersistedFriend,
  isPersistedNames,
} from '../features/contacts/model/persisted-shapes.ts';
import type { BlockedView, FriendView } from '../features/contacts/model/views.ts';

const MAX_CONVERSATIONS = 500;
const MAX_FRIENDS = 1_000;
const MAX_BLOCKS = 1_000;
const MAX_NAMES = 1_000;
/** Of one thread: its last page, and no more text than this. */
const MAX_MESSAGES = 50;
const MAX_CHARACTERS = 100_000;

interface PersistedStores {
  readonly chats: Chats;
  readonly people: People;
  readonly friends: Friends;
  readonly blocks: Blocks;
  readonly ownAccount: OwnAccount;
}

/** What the page shows before the service answers. */
export interface PersistedList extends PersistedChats {
  /** Of the database: message numbers of another one mean nothing. */
  readonly epoch: string;
  readonly profile: OwnUser;
  readonly settings: SettingsView;
  readonly friends: readonly FriendView[];
  readonly blocks: readonly BlockedView[];
}

const isConversations = list(isPersistedConversation);

const isPersistedList = record<PersistedList>({
  epoch: isString,
  profile: isPersistedProfile,
  settings: isPersistedSettings,
  friends: list(isPersistedFriend),
  blocks: list(isPersistedBlock),
  conversations: isConversations,
  reads: list(pair(isString, isNumber)),
  requests: (value) => value === undefined || isConversations(value),
  requestCount: (value) => value === undefined || isNumber(value),
});

export const PERSISTED_SHAPES = {
  list: isPersistedList,
  names: isPersistedNames,
  draft: isPersistedDraft,
  thread: isPersistedThread,
};

/** What of the stores is persisted; `undefined` where there is nothing. @param epochOf of the database; empty until it is known */
export function persistenceSources(stores: PersistedStores, epochOf: () => string) {
  return {
    list: () => toPersistedList(stores, epochOf()),
    names: () => {
      const { chats, people, friends, blocks } = stores;
      return people.names.toPersisted(MAX_NAMES, (id) => chats.has(id) || friends.has(id) || blocks.has(id));
    },
    thread: (peer: string) => toPersistedThread(stores.chats, peer, epochOf()),
    draft: (peer: string) => stores.chats.drafts.toPersisted(peer),
  };
}

export type PersistenceSources = ReturnType<typeof persistenceSources>;

/** Shows what was stored, until the service answers. */
export function restoreList(
  { chats, people, friends, blocks, ownAccount }: PersistedStores,
  persisted: PersistedList,
): void {
  ownAccount.restore(persisted.profile, persisted.settings);
  people.names.add([persisted.profile], 0);
  blocks.restore(persisted.blocks);
  friends.restore(persisted.friends);
  chats.restore(persisted);
}

function toPersistedList(
  { chats, friends, blocks, ownAccount }: PersistedStores,
  epoch: string,
): PersistedList | undefined {
  const account = ownAccount.toPersisted();
  if (!account || epoch === '') return undefined;
  const { conversations, ...rest } = chats.toPersisted();
  return {
    epoch,
    ...account,
    friends: friends.toPersisted(MAX_FRIENDS),
    blocks: blocks.toPersisted(MAX_BLOCKS),
    conversations: conversations.slice(0, MAX_CONVERSATIONS),
    ...rest,
  };
}

function toPersistedThread(chats: Chats, peer: string, epoch: string): PersistedThread | undefined {
  const { range } = chats.thread(peer);
  if (!range || epoch === '') return undefined;
  return { epoch, peer, at: Date.now(), ...newest(range, MAX_MESSAGES, MAX_CHARACTERS) };
}
