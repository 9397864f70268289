let isPressed = false;

const press = () => {
  isPressed = true;
};
const release = () => {
  isPressed = false;
};
addEventListener('pointerdown', press, true);
addEventListener('pointerup', release, true);
addEventListener('pointercancel', release, true);

/**
 * Runs `action` now, or, while a pointer is pressed, after its release and the click. An element that appears above a button
 * while it is pressed moves the button from under the pointer, and the browser sends no click.
 */
export function afterPress(action: () => void): void {
  if (!isPressed) {
    action();
    return;
  }
  const ending = new AbortController();
  const end = () => {
    ending.abort();
    setTimeout(action);
  };
  const options = { capture: true, signal: ending.signal };
  addEventListener('pointerup', end, options);
  addEventListener('pointercancel', end, options);
}
