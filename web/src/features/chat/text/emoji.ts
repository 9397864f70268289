/** A message with more of them is shown as text. */
const MAX_EMOJI = 3;
/** Code units. The longest emoji in use, a family of four with skin tones, has 15; other joined ones may have more. */
const MAX_LENGTH = 120;

const FLAG_OR_KEYCAP = /^(?:\p{RI}{2}|[\d#*]\ufe0f?\u20e3)$/u;
const PICTURE = /^\p{ExtPict}(?:\p{ExtPict}|\p{EMod}|\ufe0f|\u200d|[\u{e0020}-\u{e007f}])*$/u;
/** A picture by itself, or by a selector, a skin tone or a joiner; `©` alone is text. */
const SHOWN_AS_PICTURE = /^\p{EPres}|\ufe0f|\u200d|\p{EMod}/u;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Whether a message consists of one to three emoji, which are then shown larger. */
export function isFewEmoji(text: string): boolean {
  if (text.length > MAX_LENGTH) return false;
  const bare = text.replaceAll(/\s/gu, '');
  if (bare === '') return false;
  let count = 0;
  for (const { segment } of graphemes.segment(bare)) {
    count++;
    if (count > MAX_EMOJI || !isEmoji(segment)) return false;
  }
  return true;
}

function isEmoji(grapheme: string): boolean {
  return FLAG_OR_KEYCAP.test(grapheme) || (PICTURE.test(grapheme) && SHOWN_AS_PICTURE.test(grapheme));
}
