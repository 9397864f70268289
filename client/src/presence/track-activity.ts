/** The user counts as active for this time after the last input (docs/protocol.md, `view`). */
const ACTIVE_MS = 60_000;
const INPUTS = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'scroll', 'touchstart'] as const;

/**
 * Reports to the service whether the page is visible and whether the user is active: a pointer, a key or scrolling within the
 * last 60 s. A window without the focus counts as inactive until its next input, so that its user is notified while they look
 * at another one. A page that becomes visible also checks at once whether it is still connected.
 *
 * @returns ends the tracking
 */
export function trackActivity(
  doorman: { setView(view: { visible: boolean; active: boolean }): void; reconnectNow(): void },
  document: Document,
): () => void {
  const window = document.defaultView ?? globalThis;
  let isActive = document.hasFocus();
  let idle: ReturnType<typeof setTimeout> | undefined;
  /** The time of the last input that counted; inputs come by the hundred. */
  let inputAt = Number.NEGATIVE_INFINITY;

  const report = () => {
    const visible = document.visibilityState === 'visible';
    doorman.setView({ visible, active: visible && isActive });
  };
  const onIdle = () => {
    isActive = false;
    inputAt = Number.NEGATIVE_INFINITY;
    clearTimeout(idle);
    report();
  };
  const onInput = () => {
    const now = performance.now();
    if (isActive && now - inputAt < 1_000) return;
    isActive = true;
    inputAt = now;
    clearTimeout(idle);
    idle = setTimeout(onIdle, ACTIVE_MS);
    report();
  };
  const onVisibility = () => {
    if (document.visibilityState === 'visible') {
      doorman.reconnectNow();
      if (document.hasFocus()) onInput();
    }
    report();
  };

  const ending = new AbortController();
  const { signal } = ending;
  document.addEventListener('visibilitychange', onVisibility, { signal });
  window.addEventListener('focus', onInput, { signal });
  window.addEventListener('blur', onIdle, { signal });
  for (const kind of INPUTS)
    document.addEventListener(kind, onInput, { signal, capture: true, passive: true });
  if (isActive) onInput();
  else report();
  return () => {
    ending.abort();
    clearTimeout(idle);
  };
}
