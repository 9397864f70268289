import { enableCompileCache } from 'node:module';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

// bcrypt shares libuv's threads with token checks, pushes, DNS and files; the size is read at their first use.
process.env.UV_THREADPOOL_SIZE ??= String(availableParallelism() + 4);
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/doorman', import.meta.url)));

const { runServer } = await import('./server-process.ts');
process.exitCode = await runServer(process.env);
