/** How long something that arrives or moves is in motion. */
const MOTION_MS = 150;

/** Moves an element from `from` to where it is, unless the system asks for less motion. `from` has opacity and transform alone, which need no layout. */
export function animateFrom(
  element: Element | null | undefined,
  from: { opacity?: number; transform: string },
): void {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
  element?.animate([{ ...from, offset: 0 }], { duration: MOTION_MS, easing: 'ease-out' });
}
