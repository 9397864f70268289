export const messageMenu = {
  label: 'Message',
  copy: 'Copy text',
  copied: 'Text copied.',
  report: 'Report',
};
