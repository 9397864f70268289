const TIMES = { deadlineMs: 10_000, retryAfterMs: 1_000 };

/**
 * Tells the service what became of a push, for the user's push log. It is tried twice and given up then: a receipt is good
 * to have, and nothing waits for it. Never rejects.
 *
 * @param receipt as the push brought it
 */
export async function sendReceipt(
  baseUrl: string,
  receipt: string,
  event: 'shown' | 'clicked',
  { deadlineMs, retryAfterMs } = TIMES,
): Promise<void> {
  const body = JSON.stringify({ receipt, event });
  if (await post(baseUrl, body, deadlineMs)) return;
  await new Promise((retry) => setTimeout(retry, retryAfterMs));
  await post(baseUrl, body, deadlineMs);
}

/** @returns whether there is nothing to try again */
async function post(baseUrl: string, body: string, deadlineMs: number): Promise<boolean> {
  try {
    const answer = await fetch(new URL('/api/push/receipt', baseUrl), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      // The receipt says all: whoever is signed in has nothing to do with it.
      credentials: 'omit',
      keepalive: true,
      signal: AbortSignal.timeout(deadlineMs),
    });
    return answer.status < 500 && answer.status !== 429;
  } catch {
    return false;
  }
}
