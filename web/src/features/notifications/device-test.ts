import type { Api, PushDevice, PushLogEntry } from 'doorman-client';
import { deliveryStatus, type TestFailure } from './log/delivery-status.ts';

/** The result of a test notification; a key of the texts about it. */
export type TestResult = ('shown' | 'handed' | 'unseen' | 'unanswered' | 'gone' | 'unusable') | TestFailure;

/** The waits between the reads of the push log. */
const READ_DELAYS_MS: readonly number[] = [800, 1_600, 3_200];

/** @param entry of the push log; absent while the push service has not answered */
function testResultOf(entry: PushLogEntry | undefined): TestResult {
  if (!entry) return 'unanswered';
  const status = deliveryStatus(entry);
  switch (status.is) {
    case 'shown':
    case 'clicked':
      return 'shown';
    case 'handed':
      return 'handed';
    case 'test_failed':
      return status.why;
    case 'not_sent':
      return status.reason === 'unusable' ? 'unusable' : 'gone';
    default:
      return 'unanswered';
  }
}

interface DeviceTest {
  readonly api: Pick<Api, 'pushTest' | 'pushLog'>;
  readonly device: PushDevice;
  /** Called at each change. */
  readonly onResult: (result: TestResult) => void;
  /** Aborted when the result is not shown any more. */
  readonly signal: AbortSignal;
  readonly readDelaysMs?: readonly number[];
}

/**
 * Sends a test notification to a device, then reads the push log a few times to see whether the device showed it.
 *
 * @throws {DoormanError} 404 if there is no such device any more
 */
export async function testDevice({
  api,
  device,
  onResult,
  signal,
  readDelaysMs = READ_DELAYS_MS,
}: DeviceTest): Promise<void> {
  const [entry] = await api.pushTest(device.id);
  let result = testResultOf(entry);
  // Without an answer this test is not in the log yet; the entries there are of other tests.
  const others = entry ? [] : (await api.pushLog()).map(({ id }) => id);
  const isThisTest = ({ id, kind, device: to }: PushLogEntry) =>
    entry ? id === entry.id : kind === 'test' && to === device.id && !others.includes(id);
  onResult(result);
  for (const ms of readDelaysMs) {
    if (result !== 'unanswered' && !(result === 'handed' && reportsShown(device))) break;
    await new Promise((resolve) => setTimeout(resolve, ms));
    if (signal.aborted) return;
    const before = result;
    result = testResultOf((await api.pushLog()).find(isThisTest));
    if (result !== before) onResult(result);
  }
  if (result === 'handed' && !signal.aborted) onResult('unseen');
}

/** Safari shows pushes without the worker that would report it, and an unconfirmed device gets no receipt id. */
function reportsShown({ confirmed, service }: PushDevice): boolean {
  return confirmed === 1 && !service.endsWith('.push.apple.com');
}
