import { Readable, Writable } from 'node:stream';
import { commands } from '../src/commands/commands.ts';
import { runCommand as run } from '../src/commands/run.ts';

export interface Ended {
  /** null if a signal ended it. */
  readonly code: number | null;
  readonly output: string;
  /** Without the lines of the log, such as a warning about a slow disk. */
  readonly errors: string;
}

/**
 * Runs a command of the operator to its end, in the process of the test: starting Node takes longer than most commands.
 * `startCommand` of processes.ts runs one as the operator does.
 *
 * @param env all environment variables that the command has
 */
export async function runCommand(
  env: Readonly<Record<string, string>>,
  words: readonly string[],
  input = '',
): Promise<Ended> {
  const [output, errors] = [new Collected(), new Collected()];
  const code = await run(
    commands,
    { env, input: Readable.from([Buffer.from(input)]), output, errors },
    words,
  );
  return { code, output: output.text(), errors: withoutLog(errors.text()) };
}

/** What a command writes to standard error without the lines of the log. */
export function withoutLog(errors: string): string {
  return errors.replace(/^\{.*\n/gm, '');
}

class Collected extends Writable {
  readonly #chunks: Buffer[] = [];

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString();
  }
}
