/** `undefined` removes the key. */
export type StorageChange = readonly [key: string, value: unknown];

/**
 * Holds what must outlive the page: the session, and messages that the service has not stored yet. Values are plain JSON.
 * Each operation is atomic; `all` returns the entries whose key begins with `prefix`, in any order.
 *
 * The kit's own keys are `session`, `push`, `device-proofs`, and those that begin with `outgoing`; a program may store others
 * beside them, under a prefix of its own and best by user id. Signing out clears everything but `device-proofs`.
 *
 * An operation may reject, or never settle: the kit guards it (`Doorman.storage`).
 */
export interface DoormanStorage {
  /**
   * The name under which the tabs that share this storage inform each other of sign-ins, sign-outs and messages, over
   * `BroadcastChannel`. Left out: no other tab shares it.
   */
  readonly name?: string | undefined;
  get(key: string): Promise<unknown>;
  set(key: string, value: unknown): Promise<void>;
  delete(key: string): Promise<void>;
  /**
   * Writes several keys in one transaction: all of them or none. A value of `undefined` removes its key. Left out: the kit writes
   * them one after the other, and a program that ends meanwhile leaves some unwritten.
   */
  write?(changes: readonly StorageChange[]): Promise<void>;
  all(prefix: string): Promise<[key: string, value: unknown][]>;
  clear(): Promise<void>;
}

/** The kit's own storage, which also writes several keys together where the storage of the options cannot. */
export type KitStorage = DoormanStorage & Required<Pick<DoormanStorage, 'write'>>;
