import type { Static, TObject } from 'typebox';
import { ServiceError } from '../errors.ts';
import { readFields } from '../http/validation.ts';
import type { Connection } from './connection.ts';

/** What the reply carries as `data`, if it carries any. */
type Answer = object | undefined;

/** One kind of frame: how it is read, and who answers it. */
export interface FrameKind {
  answer(from: Connection, frame: object): Answer | Promise<Answer>;
  /** What follows a reply that is no refusal. */
  readonly after?: ((from: Connection) => void) | undefined;
}

/** All kinds by their `type`. A room adds its own, from its `frames.ts`. */
export type FrameTable = ReadonlyMap<string, FrameKind>;

/**
 * A kind of frame whose fields are judged before it is answered. `answer` refuses by throwing as rules do; what it
 * gives back goes into the reply, if the frame carries an `id`.
 */
export function frameKind<S extends TObject>(
  fields: S,
  answer: (from: Connection, frame: Static<S>) => Answer | Promise<Answer>,
  after?: (from: Connection) => void,
): FrameKind {
  return { answer: (from, frame) => answer(from, readFields(fields, frame)), after };
}

export function unknownFrame(): ServiceError {
  return new ServiceError('invalid', 'unknown_frame', '未知的消息类型');
}
