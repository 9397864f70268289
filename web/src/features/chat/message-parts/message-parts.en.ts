/** A text that ends in a colon has its space too: Chinese has none. */
export const messageParts = {
  you: 'You',
  unsent: 'Unsent message',
  /** In place of the text of a message that is not loaded. */
  notLoaded: 'Earlier message',
  /** For screen readers, before the message that is answered. */
  answers: 'In reply to: ',
  addReaction: (emoji: string) => `React with ${emoji}`,
  removeReaction: (emoji: string) => `Remove your reaction ${emoji}`,
  both: (one: string, other: string) => `${one} and ${other}`,
  refused: {
    edit: 'Not edited: ',
    unsend: 'Not unsent: ',
    react: 'Reaction not saved: ',
  },
  dismiss: 'Dismiss',

  editing: 'Edit message',
  replying: (name: string) => `Reply to ${name}`,
  replyingYourself: 'Reply to yourself',
  cancel: 'Cancel',
};
