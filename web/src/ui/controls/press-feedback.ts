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
 * Runs it now, or when the pressed button of the mouse was let go and its click has come. What is put above a button that is
 * just being pressed moves it from under the pointer, and there is no click.
 */
export function afterPress(act: () => void): void {
  if (!isPressed) {
    act();
    return;
  }
  const ending = new AbortController();
  const end = () => {
    ending.abort();
    setTimeout(act);
  };
  const options = { capture: true, signal: ending.signal };
  addEventListener('pointerup', end, options);
  addEventListener('pointercancel', end, options);
}
