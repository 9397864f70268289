export type Section = 'chats' | 'people' | 'settings';

/** Where in the page an address is. */
export interface Place {
  section: Section;
  /** Below the section's list: on narrow screens it takes the list's place. */
  isDeep: boolean;
  /** A conversation, where the composer wants the room of the bar. */
  isChat: boolean;
}

export const SECTION_PATHS: Record<Section, string> = {
  chats: '/',
  people: '/people',
  settings: '/settings',
};

export function placeOf(path: string): Place {
  const [first = '', second = ''] = path.split('/').filter((part) => part !== '');
  const isDeep = second !== '';
  switch (first) {
    case '':
      return { section: 'chats', isDeep: false, isChat: false };
    case 'chat':
      return { section: 'chats', isDeep: true, isChat: isDeep };
    case 'people':
      return { section: 'people', isDeep, isChat: false };
    case 'settings':
      return { section: 'settings', isDeep, isChat: false };
    default:
      return { section: 'chats', isDeep: true, isChat: false };
  }
}
