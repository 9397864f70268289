import { type Ref, useEffect } from 'react';
import { askForMenus } from '../message-menu/long-press.ts';
import { Announcer, type AnnouncerProps } from './announcer.tsx';
import { MessageCopier, type MessageCopierProps } from './message-copier.ts';
import { type ShowDay, StickyDay } from './sticky-day.tsx';

/**
 * What an open conversation has besides its first view: announcements, what copied messages carry, the day while the list moves, and
 * menus by a long press.
 */
export function Later({
  peer,
  showDay,
  onShown,
  ...props
}: AnnouncerProps & MessageCopierProps & { showDay: Ref<ShowDay>; onShown: () => void }) {
  const { list } = props;
  useEffect(onShown, [onShown]);
  useEffect(() => (list.current ? askForMenus(list.current) : undefined), [list]);
  return (
    <>
      <Announcer peer={peer} messages={props.messages} name={props.name} />
      <MessageCopier {...props} />
      <StickyDay show={showDay} />
    </>
  );
}
