import type { MessageView } from '../model/views.ts';

/** The part of a thread that is selected. */
export interface SelectedMessages {
  /** The selected text of each message in the document, by the key of the message; the whole text or a part. */
  readonly texts: ReadonlyMap<string, string>;
  /** The selection begins above all messages. */
  readonly isFromTop: boolean;
  /** The selection ends below all messages. */
  readonly isToEnd: boolean;
}

/**
 * The text to copy for a selection of several messages: each from a new line, with what `label` puts before its text.
 * Messages far off the screen are not in the document; those between selected ones are copied whole.
 *
 * @returns `undefined` if no more than one message is selected
 */
export function joinSelected(
  messages: readonly MessageView[],
  { texts, isFromTop, isToEnd }: SelectedMessages,
  label: (message: MessageView, text: string) => string,
): string | undefined {
  const isSelected = ({ key }: MessageView) => texts.has(key);
  const first = isFromTop ? 0 : messages.findIndex(isSelected);
  const last = isToEnd ? messages.length - 1 : messages.findLastIndex(isSelected);
  if (first < 0 || last <= first) return undefined;
  return messages
    .slice(first, last + 1)
    .filter(({ isUnsent }) => !isUnsent)
    .map((message) => label(message, texts.get(message.key) ?? message.body))
    .join('\n');
}
