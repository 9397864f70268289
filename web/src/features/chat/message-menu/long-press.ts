/** From here on a touch is a long press, as the systems have it. */
const LONG_PRESS_MS = 500;

/**
 * Asks for the menu of what is pressed long, on iPhone and iPad: other systems send the event by themselves.
 *
 * @returns ends it
 */
export function askForMenus(list: HTMLElement): () => void {
  if (!CSS.supports('-webkit-touch-callout', 'none')) return () => {};
  const ending = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = () => clearTimeout(timer);
  const onTouch = ({ target, touches }: TouchEvent) => {
    end();
    const [touch] = touches;
    if (!touch || touches.length > 1) return;
    const { clientX, clientY } = touch;
    const event = new MouseEvent('contextmenu', { bubbles: true, cancelable: true, clientX, clientY });
    timer = setTimeout(() => target?.dispatchEvent(event), LONG_PRESS_MS);
  };
  const options = { passive: true, signal: ending.signal };
  list.addEventListener('touchstart', onTouch, options);
  for (const type of ['touchmove', 'touchend', 'touchcancel'] as const)
    list.addEventListener(type, end, options);
  return () => {
    end();
    ending.abort();
  };
}
