import type { DatabaseLog } from '../db.ts';
import { type Address, readAddress } from './address.ts';
import { PostgresConnection, SETTINGS } from './connection.ts';
import { isUnavailable } from './errors.ts';
import { Timelines } from './timelines.ts';

/** Opens connections to the servers of an address, beginning with the one that was reached last. */
export class PostgresServers {
  /** The hosts and the database, without user and password. */
  readonly name: string;
  /** Why the last attempt to connect failed; `undefined` after one that succeeded. */
  lastFailure: unknown;
  readonly timelines = new Timelines();
  #address: Address;
  #log: DatabaseLog | undefined;
  #first = 0;

  /** @throws {Error} for an address that cannot be used */
  constructor(url: string, log?: DatabaseLog) {
    this.#address = readAddress(url, SETTINGS);
    this.name = this.#address.name;
    this.#log = log;
  }

  /**
   * Connects to the first server that can be reached, is no standby and, of several, takes writes. The log gets a line when none can be reached
   * and when one can again.
   *
   * @throws {Error} when there is none: the first one's error, or that of one that may be back, which `isUnavailable` tells
   */
  async open(): Promise<PostgresConnection> {
    const { servers, takesWrites } = this.#address;
    const errors: unknown[] = [];
    for (const server of [...servers.slice(this.#first), ...servers.slice(0, this.#first)]) {
      try {
        const connection = await PostgresConnection.open(server, {
          takesWrites,
          admit: (opened) => this.timelines.admit(opened),
        });
        this.#first = servers.indexOf(server);
        if (this.lastFailure) this.#log?.info({}, 'the database can be reached again');
        this.lastFailure = undefined;
        return connection;
      } catch (error) {
        errors.push(error);
      }
    }
    const failure = errors.find(isUnavailable) ?? errors[0];
    if (!this.lastFailure) this.#log?.warn({ err: failure }, 'the database cannot be reached');
    this.lastFailure = failure;
    throw failure;
  }
}
