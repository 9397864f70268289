import type { Static, TObject } from 'typebox';
import { ServiceError } from '../errors.ts';
import { readFields } from '../http/validation.ts';

/** What the reply carries as `data`, if it carries any. */
type Answer = object | undefined;

/** The session of the connection that a frame came by, as far as the rooms know it. */
export interface FrameSender {
  readonly userId: string;
  readonly sessionId: string;
  /** The device name that `hello` gave, or ''. */
  readonly device: string;
  readonly isActive: boolean;
  /** Visible and active: the user sees what comes (architecture 8.1). */
  readonly isAttentive: boolean;
  /** The number of the last event that the client acknowledged. */
  readonly ackedSeq: number;
  /** Raises `ackedSeq` to `seq`, but not beyond the last event that was written. @returns whether it rose */
  acknowledge(seq: number): boolean;
  setVisibility(isVisible: boolean, isActive: boolean): void;
}

/** One kind of frame: how it is read, and who answers it. */
export interface FrameKind<S = FrameSender> {
  answer(from: S, frame: object): Answer | Promise<Answer>;
  /** What follows a reply that is no refusal. */
  readonly after?: ((from: S) => void) | undefined;
}

/** All kinds by their `type`. A room adds its own, from its `frames.ts`. */
export type FrameTable<S = FrameSender> = ReadonlyMap<string, FrameKind<S>>;

/**
 * A kind of frame whose fields are judged before it is answered. `answer` refuses by throwing as rules do; what it
 * gives back goes into the reply, if the frame carries an `id`.
 */
export function frameKind<F extends TObject, S = FrameSender>(
  fields: F,
  answer: (from: S, frame: Static<F>) => Answer | Promise<Answer>,
  after?: (from: S) => void,
): FrameKind<S> {
  return { answer: (from, frame) => answer(from, readFields(fields, frame)), after };
}

export function unknownFrame(): ServiceError {
  return new ServiceError('invalid', 'unknown_frame', '未知的消息类型');
}
