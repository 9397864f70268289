import { runServer } from '../src/server-process.ts';

/** The server as `src/main.ts` runs it, with the times of its nodes as JSON in the first argument. */
process.exitCode = await runServer(process.env, { nodeTimes: JSON.parse(process.argv[2] ?? '{}') });
