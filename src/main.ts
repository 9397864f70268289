import { enableCompileCache } from 'node:module';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';

// bcrypt shares libuv's threads with token checks, pushes, DNS and files; the size is read at their first use.
process.env.UV_THREADPOOL_SIZE ??= String(availableParallelism() + 4);
// V8 counts the buffers of requests as growth of the heap, and would collect all of it after 8 MB of them, some seven uploaded pictures
// (decision 042).
setFlagsFromString('--heap-growing-percent=100');
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/doorman', import.meta.url)));

const { runServer } = await import('./server-process.ts');
process.exitCode = await runServer(process.env);
