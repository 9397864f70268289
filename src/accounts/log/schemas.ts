import { type Static, Type } from 'typebox';
import { NextPage } from '../../http/pages.ts';
import { oneOf, text } from '../../http/validation.ts';
import { ACTS } from './account-log.ts';

export const MAX_ENTRIES = 100;

export const AccountLogQuery = Type.Object({
  before: Type.Optional(text({ minLength: 1, maxLength: 100, description: '`next` of the page before' })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_ENTRIES, description: `${MAX_ENTRIES} if left out` }),
  ),
});

export const AccountLogEntry = Type.Object({
  id: Type.String(),
  at: Type.Integer({ description: 'Epoch milliseconds' }),
  what: oneOf('AccountAct', ACTS),
  session: Type.String({
    description: 'Id of the session that did it, or that was opened or ended by it; empty if there is none',
  }),
  device: Type.String({ description: 'User-Agent of the client; empty if no client did it' }),
  address: Type.String({
    description: "The client's network address, after 30 days its network alone; empty if no client did it",
  }),
  detail: Type.Unsafe<Record<string, string | number>>({
    type: 'object',
    additionalProperties: { anyOf: [{ type: 'string' }, { type: 'number' }] },
    description: 'Further facts of the act, by name',
  }),
});
export type AccountLogEntry = Static<typeof AccountLogEntry>;

export const AccountLogPage = Type.Object({ items: Type.Array(AccountLogEntry), next: NextPage });
export type AccountLogPage = Static<typeof AccountLogPage>;
