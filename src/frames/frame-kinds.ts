import type { Static, TObject } from 'typebox';
import { ServiceError } from '../errors.ts';
import { readFields } from '../http/validation.ts';

/** What the reply carries as `data`, if it carries any. */
type Answer = object | undefined;

/** The connection that a frame came by, as far as the rooms know it. */
export interface FrameSender {
  readonly userId: string;
  readonly sessionId: string;
  /** The client's own word for itself, as `hello` said it. */
  readonly device: string;
  /** The number of the last event that was written to it. */
  readonly seq: number;
  /** How far it acknowledged the events. */
  ackedSeq: number;
  isVisible: boolean;
  isActive: boolean;
  /** Visible and active: the user sees what comes. */
  readonly isAttentive: boolean;
}

/** One kind of frame: how it is read, and who answers it. */
export interface FrameKind<S extends FrameSender = FrameSender> {
  answer(from: S, frame: object): Answer | Promise<Answer>;
  /** What follows a reply that is no refusal. */
  readonly after?: ((from: S) => void) | undefined;
}

/** All kinds by their `type`. A room adds its own, from its `frames.ts`. */
export type FrameTable<S extends FrameSender = FrameSender> = ReadonlyMap<string, FrameKind<S>>;

/**
 * A kind of frame whose fields are judged before it is answered. `answer` refuses by throwing as rules do; what it
 * gives back goes into the reply, if the frame carries an `id`.
 */
export function frameKind<F extends TObject, S extends FrameSender = FrameSender>(
  fields: F,
  answer: (from: S, frame: Static<F>) => Answer | Promise<Answer>,
  after?: (from: S) => void,
): FrameKind<S> {
  return { answer: (from, frame) => answer(from, readFields(fields, frame)), after };
}

export function unknownFrame(): ServiceError {
  return new ServiceError('invalid', 'unknown_frame', '未知的消息类型');
}
