import { enableCompileCache } from 'node:module';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { commands } from './commands/commands.ts';
import { runCommand } from './commands/run.ts';

// bcrypt runs on libuv's threads; their number is read at their first use.
process.env.UV_THREADPOOL_SIZE ??= String(availableParallelism() + 4);
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/doorman', import.meta.url)));

// The reader of the output, such as `head`, has ended.
process.stdout.on('error', () => process.exit(1));
const { env, stdin: input, stdout: output, stderr: errors } = process;
process.exitCode = await runCommand(commands, { env, input, output, errors }, process.argv.slice(2));
