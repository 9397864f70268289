/**
 * Where the kit keeps what must outlive the page: the session, and what is written but not stored yet. Values are plain
 * JSON. Each operation is atomic; `all` gives what every key has that begins with `prefix`, in any order.
 *
 * Its own keys are `session`, `push`, `device-proofs`, and those that begin with `outgoing/`; a program may keep others beside
 * them, under a prefix of its own and best by user id. Signing out clears all of it but `device-proofs`.
 *
 * An operation may reject, or never settle: the kit guards it (`Doorman.storage`).
 */
export interface DoormanStorage {
  /**
   * Where several tabs share what is kept here: the name by which they tell each other of sign-ins, sign-outs and
   * messages, over `BroadcastChannel`. Left out: nobody shares it.
   */
  readonly name?: string | undefined;
  get(key: string): Promise<unknown>;
  set(key: string, value: unknown): Promise<void>;
  delete(key: string): Promise<void>;
  all(prefix: string): Promise<[key: string, value: unknown][]>;
  clear(): Promise<void>;
}
