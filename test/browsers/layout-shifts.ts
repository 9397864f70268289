import type { Page } from 'puppeteer-core';

/** Notes each layout shift that no input has caused, with what moved. */
export function noteShifts(): void {
  const shifts: string[] = [];
  Object.assign(window, { shifts });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      // TypeScript does not know the entries of layout shifts.
      const { value, hadRecentInput, sources } = entry as unknown as {
        value: number;
        hadRecentInput: boolean;
        sources: { node: Element | null }[];
      };
      const moved = sources.map(({ node }) => node?.outerHTML?.slice(0, 150));
      if (!hadRecentInput) shifts.push(`${value}: ${moved.join(' ')}`);
    }
  }).observe({ type: 'layout-shift', buffered: true });
}

/** After two more frames, in which what was drawn last is reported. */
export function shiftsOf(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    for (let frame = 0; frame < 2; frame++) await new Promise((resolve) => requestAnimationFrame(resolve));
    await new Promise((resolve) => setTimeout(resolve));
    return Object.getOwnPropertyDescriptor(window, 'shifts')?.value;
  });
}
