import { ConfigError } from '../config/config.ts';
import { readRelease } from '../version.ts';
import type { Context } from './context.ts';
import { explain } from './explain.ts';
import { openPrinter } from './printable.ts';

/** The arguments are not what the command takes. The message, if there is one, says why. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export interface Command {
  /** The command's name and arguments. */
  readonly usage: string;
  readonly help: string;
  /** Loads the command's function, which returns the exit code. */
  readonly load: () => Promise<(context: Context, args: string[]) => Promise<number>>;
}

/**
 * Runs the command that `words` name. What it prints has no control characters, whatever users or arguments contain.
 *
 * @returns the exit code: 1 when something went wrong, 2 when the words are not a valid command
 */
export async function runCommand(
  commands: Record<string, Command>,
  { output, errors, ...rest }: Context,
  words: readonly string[],
): Promise<number> {
  const context = { ...rest, output: openPrinter(output), errors: openPrinter(errors) };
  const [name = 'help', ...args] = words;
  if (['help', '--help', '-h'].includes(name)) {
    context.output.write(usageOf(commands));
    return 0;
  }
  if (['version', '--version', '-v'].includes(name)) {
    context.output.write(`${(await readRelease()).version}\n`);
    return 0;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) {
    context.errors.write(`There is no command ${JSON.stringify(name)}.\n\n${usageOf(commands)}`);
    return 2;
  }
  try {
    const run = await command.load();
    return await run(context, args);
  } catch (error) {
    if (isUsageError(error)) {
      if (error instanceof UsageError && error.message !== '') context.errors.write(`${error.message}\n`);
      context.errors.write(`Usage: npm run --silent doorman -- ${command.usage}\n`);
      return 2;
    }
    const faults = error instanceof ConfigError ? error.faults : [explain(error)];
    for (const fault of faults) context.errors.write(`${fault}\n`);
    return 1;
  }
}

/** A {@link UsageError} or an error of `parseArgs`. */
function isUsageError(error: unknown): boolean {
  if (error instanceof UsageError) return true;
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_');
}

function usageOf(commands: Record<string, Command>): string {
  const all = Object.values(commands);
  const width = Math.max(...all.map(({ usage }) => usage.length));
  const lines = all.map(({ usage, help }) => `  ${usage.padEnd(width)}  ${help}\n`);
  return `Usage: npm run --silent doorman -- COMMAND\n\n${lines.join('')}\nThe settings are those of the server, from the environment. See docs/commands.md.\n`;
}
