const TIMEOUTS = { deadlineMs: 10_000, retryAfterMs: 1_000 };

/**
 * Reports to the service that a push was shown or clicked, for the user's push log. Tries twice: a receipt is optional, and
 * nothing waits for it. Never rejects.
 *
 * @param receipt from the push
 */
export async function sendReceipt(
  baseUrl: string,
  receipt: string,
  event: 'shown' | 'clicked',
  { deadlineMs, retryAfterMs } = TIMEOUTS,
): Promise<void> {
  const body = JSON.stringify({ receipt, event });
  if (await post(baseUrl, body, deadlineMs)) return;
  await new Promise((retry) => setTimeout(retry, retryAfterMs));
  await post(baseUrl, body, deadlineMs);
}

/** @returns false if a second try may succeed */
async function post(baseUrl: string, body: string, deadlineMs: number): Promise<boolean> {
  try {
    const answer = await fetch(new URL('/api/push/receipt', baseUrl), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      // The receipt identifies the push and its user: no session is needed.
      credentials: 'omit',
      keepalive: true,
      signal: AbortSignal.timeout(deadlineMs),
    });
    return answer.status < 500 && answer.status !== 429;
  } catch {
    return false;
  }
}
