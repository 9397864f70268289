import { hasLeft } from '../../../ui/controls/pointer.ts';

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
  let start = { x: 0, y: 0 };
  const end = () => clearTimeout(timer);
  const onTouch = ({ target, touches }: TouchEvent) => {
    end();
    const [touch] = touches;
    if (!touch || touches.length > 1) return;
    const { clientX, clientY } = touch;
    start = { x: clientX, y: clientY };
    const event = new MouseEvent('contextmenu', { bubbles: true, cancelable: true, clientX, clientY });
    timer = setTimeout(() => target?.dispatchEvent(event), LONG_PRESS_MS);
  };
  const onMove = ({ touches: [touch] }: TouchEvent) => {
    if (!touch || hasLeft(touch, start)) end();
  };
  const options = { passive: true, signal: ending.signal };
  list.addEventListener('touchstart', onTouch, options);
  list.addEventListener('touchmove', onMove, options);
  for (const type of ['touchend', 'touchcancel'] as const) list.addEventListener(type, end, options);
  return () => {
    end();
    ending.abort();
  };
}
