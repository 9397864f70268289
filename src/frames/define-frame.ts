import type { Static, TObject } from 'typebox';
import { readFields } from '../http/validation.ts';

/** The `data` of a reply; `undefined` for a reply without. */
type ReplyData = object | undefined;

/** The session of the connection that sent a frame, as rooms see it. */
export interface FrameSender {
  readonly userId: string;
  readonly sessionId: string;
  /** The device name that `hello` gave, or ''. */
  readonly device: string;
  readonly isActive: boolean;
  /** Visible and active: the user sees what arrives (architecture 8.1). */
  readonly isAttentive: boolean;
  readonly ackedSeq: number;
  /** Raises `ackedSeq` to `seq`, at most to the last event that was written. @returns whether it rose */
  acknowledge(seq: number): boolean;
  setVisibility(isVisible: boolean, isActive: boolean): void;
}

/** Answers the frames of one type. `sockets/frames-in.ts` names the types with the same fields and replies. */
export interface FrameHandler<
  Sender = FrameSender,
  Fields extends TObject = TObject,
  Reply extends ReplyData = ReplyData,
> {
  readonly fields: Fields;
  readonly answer: (from: Sender, frame: object) => Reply | Promise<Reply>;
  /** Uses this process's memory alone and answers without data: also while the database is away. */
  readonly isLocal?: boolean;
  /** Called after a reply that is not an error. */
  readonly after?: ((from: Sender) => void) | undefined;
}

/**
 * Defines how frames with these fields are answered.
 *
 * @param answer gets the validated fields, throws `ServiceError` as rules do, and returns the `data` of the reply
 * @param after called after a reply that is not an error, also for a frame without `id`, which gets no reply
 */
export function defineFrame<Fields extends TObject, Reply extends ReplyData, Sender = FrameSender>(
  fields: Fields,
  answer: (from: Sender, frame: Static<Fields>) => Reply | Promise<Reply>,
  after?: (from: Sender) => void,
): FrameHandler<Sender, Fields, Reply> {
  return { fields, answer: (from, frame) => answer(from, readFields(fields, frame)), after };
}

/**
 * The same for frames that are handled in this process's memory alone, at once and also while the database is away. Their reply has no
 * data.
 */
export function defineLocalFrame<Fields extends TObject, Sender = FrameSender>(
  fields: Fields,
  handle: (from: Sender, frame: Static<Fields>) => void,
  after?: (from: Sender) => void,
): FrameHandler<Sender, Fields, undefined> {
  const answer = (from: Sender, frame: object) => {
    handle(from, readFields(fields, frame));
    return undefined;
  };
  return { fields, answer, isLocal: true, after };
}
