export interface LinkTimes {
  /** How often a connection is asked whether it still answers. */
  readonly pingMs: number;
  /** A connection that does not answer for so long is closed and opened again. */
  readonly lateMs: number;
  /** The pause between two attempts to connect. */
  readonly retryMs: number;
}

/**
 * Messages between nodes. Each of them may be lost, and nothing waits for one: the truth is in the database. Names of channels
 * are those of this service alone, also where several services share a Redis; other programs may publish on them all the same.
 */
export interface Link extends AsyncDisposable {
  /** Messages can be published, and those of all subscribed channels are received. */
  readonly isUp: boolean;
  /** Called each time the link comes up, after all channels are subscribed. */
  onUp(listener: () => void): void;
  onDown(listener: () => void): void;
  /** Lost while the link is down. Messages of one node arrive in their order, over all channels. */
  publish(channel: string, bytes: Buffer): void;
  /** Stays subscribed when the link was down; a channel has one listener. A node receives its own messages too. */
  subscribe(channel: string, listener: (bytes: Buffer) => void): void;
  unsubscribe(channel: string): void;
}

/** Lua scripts that Redis runs. */
export interface Scripts {
  /**
   * @param keys their names in this service, which the link prefixes
   * @throws at once while the link is down, and when the answer takes longer than `atMostMs`: the script may have run or not
   */
  evaluate(
    script: string,
    keys: readonly string[],
    args: readonly string[],
    atMostMs: number,
  ): Promise<unknown>;
}
