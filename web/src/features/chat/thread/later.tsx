import { useEffect } from 'react';
import { askForMenus } from '../message-menu/long-press.ts';
import { Announcer, type AnnouncerProps } from './announcer.tsx';
import { MessageCopier, type MessageCopierProps } from './message-copier.ts';

/** What an open conversation has besides its first view: announcements, what copied messages carry, and menus by a long press. */
export function Later({
  peer,
  onShown,
  ...props
}: AnnouncerProps & MessageCopierProps & { onShown: () => void }) {
  const { list } = props;
  useEffect(onShown, [onShown]);
  useEffect(() => (list.current ? askForMenus(list.current) : undefined), [list]);
  return (
    <>
      <Announcer peer={peer} messages={props.messages} name={props.name} />
      <MessageCopier {...props} />
    </>
  );
}
