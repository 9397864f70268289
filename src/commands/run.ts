import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import release from '../../package.json' with { type: 'json' };
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
  /** How many words it takes at most, options aside; none if left out. */
  readonly words?: number;
  readonly options?: ParseArgsOptionsConfig;
  /** Loads the command's function, which returns the exit code; 0 if it returns none. */
  readonly load: () => Promise<
    (context: Context, words: string[], options: Options) => Promise<number> | Promise<void>
  >;
}

/** The options that were given: a text, or true for one without a text. */
export type Options = ReturnType<typeof parseArgs>['values'];

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
    context.output.write(`${release.version}\n`);
    return 0;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) {
    context.errors.write(`There is no command ${JSON.stringify(name)}.\n\n${usageOf(commands)}`);
    return 2;
  }
  try {
    const { words = 0, options = {}, load } = command;
    const { positionals, values } = parseArgs({ args, allowPositionals: true, options });
    if (positionals.length > words) throw new UsageError();
    const run = await load();
    return (await run(context, positionals, values)) ?? 0;
  } catch (error) {
    if (isUsageError(error)) {
      if (error instanceof UsageError && error.message !== '') context.errors.write(`${error.message}\n`);
      context.errors.write(`Usage: npm run --silent doorman -- ${command.usage}\n`);
      return 2;
    }
    context.errors.write(`${explain(error)}\n`);
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
