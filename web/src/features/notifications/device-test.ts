import type { Api, PushDevice, PushLogEntry } from 'doorman-client';
import { fateOf, type TestFailure } from './log/delivery-status.ts';

/** How a test send stands; a key of the words for it. */
export type TestResult = ('shown' | 'handed' | 'unseen' | 'unanswered' | 'gone' | 'unusable') | TestFailure;

/** When the log is looked at for what became of it, after the look before. */
const LOOKS_MS: readonly number[] = [800, 1_600, 3_200];

/** @param entry of the push log; absent if the push service has not answered */
export function testResultOf(entry: PushLogEntry | undefined): TestResult {
  if (!entry) return 'unanswered';
  const fate = fateOf(entry);
  switch (fate.is) {
    case 'shown':
    case 'clicked':
      return 'shown';
    case 'handed':
      return 'handed';
    case 'test_failed':
      return fate.why;
    case 'not_sent':
      return fate.reason === 'unusable' ? 'unusable' : 'gone';
    default:
      return 'unanswered';
  }
}

interface Tested {
  readonly api: Pick<Api, 'pushTest' | 'pushLog'>;
  readonly device: PushDevice;
  /** Told of each change. */
  readonly onResult: (result: TestResult) => void;
  /** Nobody looks any more. */
  readonly signal: AbortSignal;
  readonly looksMs?: readonly number[];
}

/**
 * Sends a test to a device, and looks a few times whether it is shown.
 *
 * @throws {DoormanError} 404 if there is no such device any more
 */
export async function testDevice({
  api,
  device,
  onResult,
  signal,
  looksMs = LOOKS_MS,
}: Tested): Promise<void> {
  const [entry] = await api.pushTest(device.id);
  let result = testResultOf(entry);
  // Without an answer it is not in the log yet: what is there now is of another test.
  const others = entry ? [] : (await api.pushLog()).map(({ id }) => id);
  const isIt = ({ id, kind, device: to }: PushLogEntry) =>
    entry ? id === entry.id : kind === 'test' && to === device.id && !others.includes(id);
  onResult(result);
  for (const ms of looksMs) {
    if (result !== 'unanswered' && !(result === 'handed' && tellsShown(device))) break;
    await new Promise((resolve) => setTimeout(resolve, ms));
    if (signal.aborted) return;
    const before = result;
    result = testResultOf((await api.pushLog()).find(isIt));
    if (result !== before) onResult(result);
  }
  if (result === 'handed' && !signal.aborted) onResult('unseen');
}

/** Safari shows by itself what comes, and a device that is not confirmed gets nothing by which to say so. */
function tellsShown({ confirmed, service }: PushDevice): boolean {
  return confirmed === 1 && !service.endsWith('.push.apple.com');
}
