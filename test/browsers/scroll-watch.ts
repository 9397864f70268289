// Functions that run in the page, on its list of messages.

/**
 * Scrolls up to the beginning, and checks after each painted step that the visible rows moved by the step. It
 * compares the lower ends of rows, as the gap to the row above may change.
 *
 * @returns how many messages were in the document in all, and how many at most at a time
 */
export async function watchScrollingUp() {
  const STEP_PX = 450;
  const list = document.querySelector<HTMLElement>('[data-testid="messages"]');
  if (!list) throw new Error('no messages');
  const painted = () =>
    new Promise<void>((resolve) => {
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => resolve();
        port2.postMessage(0);
      });
    });
  const rowInSight = () => {
    const { left, top, width, height } = list.getBoundingClientRect();
    for (let y = top + height * 0.3; y < top + height; y += 8) {
      const row = document.elementFromPoint(left + width / 2, y)?.closest<HTMLElement>('[data-message]');
      if (row) return row;
    }
    return undefined;
  };
  const moved: string[] = [];
  const seen = new Set<string | undefined>();
  let steps = 0;
  let most = 0;
  const endAt = performance.now() + 60_000;
  while (performance.now() < endAt) {
    const messages = [...list.querySelectorAll<HTMLElement>('[data-message]')];
    for (const { dataset } of messages) seen.add(dataset.testid);
    most = Math.max(most, messages.length);
    if (list.scrollTop === 0 && document.querySelector('[data-testid="beginning"]')) break;
    const row = rowInSight();
    const before = row?.getBoundingClientRect().bottom ?? 0;
    const step = Math.min(STEP_PX, list.scrollTop);
    list.scrollTop -= step;
    await painted();
    await painted();
    if (step > 0) steps++;
    const by = (row?.getBoundingClientRect().bottom ?? 0) - before - step;
    if (row && Math.abs(by) > 1.5) moved.push(`${row.dataset.testid} by ${by}`);
  }
  return { moved, steps, seen: seen.size, most };
}

/** How much of the screen has no block of messages, in pixels. */
export function emptyPixels(): number {
  const list = document.querySelector('[data-testid="messages"]');
  if (!list) throw new Error('no messages');
  const edge = list.getBoundingClientRect();
  const heights = [...list.querySelectorAll('[data-block]')].map((block) => {
    const { top, bottom } = block.getBoundingClientRect();
    return Math.max(0, Math.min(bottom, edge.bottom) - Math.max(top, edge.top));
  });
  return Math.max(0, Math.round(edge.height - heights.reduce((sum, height) => sum + height, 0)));
}

/** The topmost visible message, and its lower end. */
export function topRow(): { id: string | undefined; bottom: number } {
  const edge = document.querySelector('[data-testid="messages"]')?.getBoundingClientRect().top ?? 0;
  const rows = [...document.querySelectorAll<HTMLElement>('[data-message]')];
  const row = rows.find((one) => one.getBoundingClientRect().bottom > edge);
  return { id: row?.dataset.testid, bottom: row?.getBoundingClientRect().bottom ?? 0 };
}

/** Waits until two frames are painted. */
export async function painted(): Promise<void> {
  for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
}

/** Scrolls up, and compares the day that is shown with the last one in the list above the screen. */
export async function watchDays(): Promise<{ days: number; wrong: string[] }> {
  const list = document.querySelector<HTMLElement>('[data-testid="messages"]');
  const sticky = document.querySelector<HTMLElement>('[data-testid="sticky-day"]');
  if (!list || !sticky) throw new Error('no messages');
  const days = new Set<string>();
  const wrong: string[] = [];
  for (let step = 0; step < 40 && list.scrollTop > 0; step++) {
    await new Promise<void>((resolve) => {
      list.addEventListener('scroll', () => setTimeout(resolve), { once: true });
      list.scrollBy(0, -130);
    });
    const edge = list.getBoundingClientRect().top;
    const lines = [...list.querySelectorAll<HTMLElement>('[data-day]')].map((line) => ({
      day: line.textContent.trim(),
      ...line.getBoundingClientRect().toJSON(),
    }));
    const isAtEdge = lines.some(({ top, bottom }) => bottom > edge && top < edge + 48);
    const expected = lines.findLast(({ bottom }) => bottom <= edge)?.day;
    const shown = 'shown' in sticky.dataset ? sticky.textContent.trim() : undefined;
    if (isAtEdge ? shown !== undefined : expected !== undefined && shown !== expected)
      wrong.push(`${shown} instead of ${expected}, ${isAtEdge}`);
    if (shown !== undefined) days.add(shown);
  }
  return { days: days.size, wrong };
}
