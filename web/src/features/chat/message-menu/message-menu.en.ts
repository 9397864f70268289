export const messageMenu = {
  label: 'Message',
  react: 'React',
  moreEmoji: 'More emoji',
  reply: 'Reply',
  copy: 'Copy text',
  copied: 'Text copied.',
  edit: 'Edit',
  unsend: 'Unsend',
  unsendTitle: 'Unsend this message?',
  unsendSays: (name: string) => `It will be removed for both you and ${name}.`,
  report: 'Report',
};
