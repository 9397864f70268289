import { Writable } from 'node:stream';

/** Control characters, except those that end and indent lines, and those that change the direction of text (UAX 9). */
const UNPRINTABLE = /[^\P{Cc}\n\t]|\p{Bidi_Control}/gu;

/** Each character that a terminal would obey, or that would show other text in another order, as `\u001b`: valid inside JSON too. */
export function toPrintable(text: string): string {
  return text.replace(UNPRINTABLE, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Writes {@link toPrintable} of everything to `target`, as fast as it takes it. */
export function openPrinter(target: Writable): Writable {
  return new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      if (target.write(toPrintable(String(chunk)))) done();
      else target.once('drain', done);
    },
  });
}
