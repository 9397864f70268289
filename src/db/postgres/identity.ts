import { DatabaseError } from 'pg';
import type { Queries } from '../db.ts';

/** Refused for this role or this kind of server, such as Amazon Aurora, and not just now (PostgreSQL, appendix A). */
const REFUSAL_CODES = ['42501', '42883', '0A000', '55000'];

/** Which database this is. A standby has the same identity, and so has a copy of the files. */
interface DatabaseIdentity {
  /** The identifier of the cluster; null where PostgreSQL does not say it, for the reason in `refusal`. */
  readonly cluster: string | null;
  /** Unique within the cluster. */
  readonly oid: number;
  readonly refusal?: unknown;
}

export async function identifyDatabase(db: Queries): Promise<DatabaseIdentity> {
  const database = await db.get<{ oid: number }>`
    select oid from pg_database where datname = current_database()`;
  if (!database) throw new Error('PostgreSQL does not name the database');
  try {
    // As text, since it is greater than an exact number in JavaScript can be.
    const system = await db.get<{ cluster: string }>`
      select cast(system_identifier as text) as cluster from pg_control_system()`;
    return { cluster: system?.cluster ?? null, ...database };
  } catch (error) {
    if (!(error instanceof DatabaseError && REFUSAL_CODES.includes(error.code ?? ''))) throw error;
    return { cluster: null, ...database, refusal: error };
  }
}
