/**
 * Where the kit keeps what must outlive the page: the session, and what is written but not stored yet. Values are plain
 * JSON. Each operation is atomic; `all` names every key that begins with `prefix`.
 */
export interface DoormanStorage {
  get(key: string): Promise<unknown>;
  set(key: string, value: unknown): Promise<void>;
  delete(key: string): Promise<void>;
  all(prefix: string): Promise<[key: string, value: unknown][]>;
  clear(): Promise<void>;
}
