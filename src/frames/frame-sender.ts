/** The session of the connection that sent a frame, as the rooms that answer frames see it. */
export interface FrameSender {
  readonly userId: string;
  readonly sessionId: string;
  /** The device name that `hello` gave, or ''. */
  readonly device: string;
  readonly isActive: boolean;
  /** Visible and active: the user sees what arrives (architecture 8.1). */
  readonly isAttentive: boolean;
  readonly ackedSeq: number;
  /** Aborts when the connection ends. */
  readonly leaving: AbortSignal;
  /** Raises `ackedSeq` to `seq`, at most to the last event that was written. @returns whether it rose */
  acknowledge(seq: number): boolean;
  setVisibility(isVisible: boolean, isActive: boolean): void;
}
