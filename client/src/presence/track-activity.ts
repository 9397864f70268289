/** Who used the page so long ago is before it still (docs/protocol.md, `view`). */
const ACTIVE_MS = 60_000;
const USES = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'scroll', 'touchstart'] as const;

/**
 * Tells whether the page is visible, and whether somebody uses it: a pointer, a key or scrolling within the last 60 s. A
 * window that lost the focus counts as unused until somebody touches it again, so that its user is notified while he looks
 * at another. A page that becomes visible also looks at once whether it is still connected.
 *
 * @returns ends it
 */
export function trackActivity(
  doorman: { setView(view: { visible: boolean; active: boolean }): void; reconnectNow(): void },
  document: Document,
): () => void {
  const window = document.defaultView ?? globalThis;
  let isUsed = document.hasFocus();
  let idle: ReturnType<typeof setTimeout> | undefined;
  /** Of the last use that was noted; they come by the hundred. */
  let notedAt = Number.NEGATIVE_INFINITY;

  const tell = () => {
    const visible = document.visibilityState === 'visible';
    doorman.setView({ visible, active: visible && isUsed });
  };
  const rest = () => {
    isUsed = false;
    notedAt = Number.NEGATIVE_INFINITY;
    clearTimeout(idle);
    tell();
  };
  const use = () => {
    const now = performance.now();
    if (isUsed && now - notedAt < 1_000) return;
    isUsed = true;
    notedAt = now;
    clearTimeout(idle);
    idle = setTimeout(rest, ACTIVE_MS);
    tell();
  };
  const show = () => {
    if (document.visibilityState === 'visible') {
      doorman.reconnectNow();
      if (document.hasFocus()) use();
    }
    tell();
  };

  const ending = new AbortController();
  const { signal } = ending;
  document.addEventListener('visibilitychange', show, { signal });
  window.addEventListener('focus', use, { signal });
  window.addEventListener('blur', rest, { signal });
  for (const kind of USES) document.addEventListener(kind, use, { signal, capture: true, passive: true });
  if (isUsed) use();
  else tell();
  return () => {
    ending.abort();
    clearTimeout(idle);
  };
}
