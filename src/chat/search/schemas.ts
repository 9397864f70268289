import { type Static, Type } from 'typebox';
import { USER_ID_PATTERN } from '../../db/ids.ts';
import { cursor, NextPage } from '../../http/pages.ts';
import { text } from '../../http/validation.ts';
import { ConversationPage, Message, SendBody } from '../schemas.ts';

/** The number below which the conversation goes on, its last time and its peer. */
export const SEARCH_CURSOR = `^([0-9]{1,15}):([0-9]{1,15}):(${USER_ID_PATTERN})$`;

export const SearchFields = Type.Object({
  q: text({
    minLength: 1,
    maxLength: 64,
    pattern: '\\S',
    description:
      'Parts of words, up to 8 with white space between them; a message has all of them, in any order and case',
  }),
  peer: Type.Optional(SendBody.properties.to),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, description: '20 if left out' })),
  after: Type.Optional(cursor(200, SEARCH_CURSOR)),
});
export type SearchFields = Static<typeof SearchFields>;

export const FoundMessage = Type.Object({ peer: Type.String(), ...Message.properties });
export type FoundMessage = Static<typeof FoundMessage>;

export const SearchPage = Type.Object({
  items: Type.Array(FoundMessage),
  people: ConversationPage.properties.people,
  searched: Type.Integer({ description: 'How many messages of the user this page covers' }),
  next: NextPage,
});
export type SearchPage = Static<typeof SearchPage>;
