import { Client, escapeIdentifier } from 'pg';

/** A connection to a PostgreSQL server that is none of Doorman's. */
export interface PostgresClient extends AsyncDisposable {
  /** The rows of one statement without parameters; several statements have none. */
  rows<Row = Record<string, unknown>>(text: string): Promise<Row[]>;
}

/** @param settings run-time settings, besides `application_name` */
export async function connectPostgres(
  url: string,
  settings: { application_name?: string; options?: string } = {},
): Promise<PostgresClient> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000, ...settings });
  // Such as when the server ends before the connection; a statement that runs then fails by itself.
  client.on('error', () => {});
  await client.connect();
  return {
    rows: async (text) => (await client.query(text)).rows ?? [],
    [Symbol.asyncDispose]: () => client.end(),
  };
}

export const identifier = escapeIdentifier;
