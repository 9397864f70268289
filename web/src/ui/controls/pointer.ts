import { useMediaQuery } from '@mantine/hooks';

/** The screen shows one pane at a time (layout.module.css). */
const NARROW = '(max-width: 47.99em)';

/** The device has touch alone: an on-screen keyboard covers half of the screen when a field gets the focus. */
export function isTouch(): boolean {
  return matchMedia('(hover: none) and (pointer: coarse)').matches;
}

export function isNarrow(): boolean {
  return matchMedia(NARROW).matches;
}

/** The same for components, which follow the width of the window. */
export function useIsNarrow(): boolean {
  return useMediaQuery(NARROW, undefined, { getInitialValueInEffect: false });
}

/**
 * Moves the focus to the composer, if there is one, unless the device has touch alone or the focus is outside the chat.
 *
 * @returns whether the composer has the focus
 */
export function focusComposer(): boolean {
  const field = document.querySelector<HTMLTextAreaElement>('[data-composer]');
  if (!field || isTouch()) return false;
  const { activeElement, body } = document;
  if (activeElement !== body && !field.closest('[data-pane]')?.contains(activeElement)) return false;
  field.focus({ preventScroll: true });
  return true;
}

/** No finger stays exactly in its place: up to so many pixels from there, a touch is a press. */
const REST_PX = 10;

/** Whether a finger has left its place in the window. */
export function hasLeft({ clientX, clientY }: Touch, { x, y }: { x: number; y: number }): boolean {
  return Math.hypot(clientX - x, clientY - y) > REST_PX;
}
