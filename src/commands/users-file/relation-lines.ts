import { type Static, type TObject, Type } from 'typebox';
import type { ImportedMessage } from '../../chat/importing/judge-imported.ts';
import { MessageText, SendBody } from '../../chat/schemas.ts';
import { ServiceError } from '../../errors.ts';
import { readFields, text } from '../../http/validation.ts';
import type { ImportedBlock, ImportedFriendship } from '../../relations/import-relations.ts';
import { MOMENT } from './user-line.ts';

/** Whether there is a user of this id is asked of the database. */
const UserId = text();
const FriendsLine = Type.Object({ friends: Type.Tuple([UserId, UserId]), at: Type.Optional(MOMENT) });
const BlockLine = Type.Object({ at: Type.Optional(MOMENT) });
const Block = Type.Object({ by: UserId, of: UserId });
const Message = Type.Object({
  id: SendBody.properties.cid,
  from: UserId,
  to: UserId,
  body: MessageText,
  at: MOMENT,
  read: Type.Optional(Type.Boolean()),
});

/** @throws {ServiceError} for a field that is not valid, as the readers below */
export function readFriendsLine(line: object): ImportedFriendship {
  const { friends, at = Date.now() } = readFields(FriendsLine, line);
  return { users: friends, at };
}

export function readBlockLine(line: object): ImportedBlock {
  const { at = Date.now() } = readFields(BlockLine, line);
  return { ...readInner(Block, 'block', line), at };
}

export function readMessageLine(line: object): ImportedMessage {
  const { id, read = true, ...message } = readInner(Message, 'message', line);
  return { ...message, cid: id, isRead: read };
}

/** Reads the object in the field `name`, which the line has. */
function readInner<S extends TObject>(schema: S, name: string, line: object): Static<S> {
  const inner: unknown = line[name as keyof typeof line]; // its kind was found by this field
  if (typeof inner === 'object' && inner !== null && !Array.isArray(inner)) return readFields(schema, inner);
  throw new ServiceError('invalid', 'invalid_field', name, { english: `${name} is not a JSON object` });
}
