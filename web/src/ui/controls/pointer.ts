/** A finger, and no keyboard but one on the screen, which covers half of it when something gets the focus. */
export function isTouch(): boolean {
  return matchMedia('(hover: none) and (pointer: coarse)').matches;
}

/** One pane at a time. */
export function isNarrow(): boolean {
  return matchMedia('(max-width: 59.99em)').matches;
}

/** @returns whether it took the focus: not by touch, not while nobody can be written to, and from nothing beside the chat */
export function focusComposer(): boolean {
  const field = document.querySelector<HTMLTextAreaElement>('[data-composer]');
  if (!field || isTouch()) return false;
  const { activeElement, body } = document;
  if (activeElement !== body && !field.closest('[data-pane]')?.contains(activeElement)) return false;
  field.focus({ preventScroll: true });
  return true;
}
