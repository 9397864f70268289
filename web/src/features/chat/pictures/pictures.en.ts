export const pictures = {
  attach: 'Send a picture',
  title: 'Send picture',
  caption: 'Caption',
  captionPlaceholder: 'Add a caption',
  preparing: 'Preparing the picture',
  sendTo: (name: string) => `Send to ${name}`,
  unreadable: 'This file can’t be read as a picture.',

  /** In place of a picture of a stranger. */
  acceptFirst: 'Accept the request to see this picture.',
  loading: 'Loading picture',
  failed: 'Couldn’t load the picture',
  gone: 'This picture is no longer available.',

  previous: 'Previous picture',
  next: 'Next picture',
  download: 'Download',
  /** The heading of a picture. @param sender a name, or `You` */
  sentBy: (sender: string, time: string) => `${sender}, ${time}`,
};
