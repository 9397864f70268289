import type { Clock } from '../src/clock.ts';
import type { Installation } from '../src/nodes/installation.ts';
import { type Message, MessageCipher } from '../src/nodes/message-cipher.ts';

type Clocks = Pick<Clock, 'now' | 'monotonicMs'>;

/** The ciphers of a test's nodes have this one, unless it says otherwise. */
export const testInstallation: Installation = { name: 'test', key: Buffer.alloc(32, 'the key of a test') };

/** What a node encrypts with. @param lines get the warnings */
export function openCipher(
  clock: Clocks,
  { installation = testInstallation, lines = [] as object[] } = {},
): MessageCipher {
  const log = { warn: (line: object) => void lines.push(line) };
  return new MessageCipher(installation, clock, log);
}

/** Reads each message that passes, as another node of the installation would. */
export function openReader(clock: Clocks): (channel: string, bytes: Buffer) => Message {
  const cipher = openCipher(clock);
  return (channel, bytes) => {
    const message = cipher.decrypt(channel, bytes);
    if (!message) throw new Error('a message that no node of the test has written');
    return message;
  };
}
