export const invite = {
  title: 'You’re the first one here',
  /** By who may sign up. */
  says: {
    open: 'Share the link to this page. People who sign up appear here.',
    invite:
      'Share the link to this page. To sign up, people also need an invite code, which the administrator creates.',
    closed:
      'Share the link to this page with people who have an account here. Only the administrator can add accounts.',
  },
  share: 'Share link',
  copy: 'Copy link',
  link: 'Link to this page',
  onlyHere: 'Only this device can open this link.',
};
