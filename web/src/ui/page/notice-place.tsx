import { Store } from '../../data/store.ts';

/** Where the banners of the page lie while a part of the page has a place for them. */
export const noticePlace = new Store<HTMLElement | undefined>(undefined);

/**
 * A place for banners on top of what follows, which neither moves nor shrinks. What follows must scroll, so that all of it
 * can be seen and reached.
 */
export function NoticePlace({ className }: { className: string | undefined }) {
  return <div className={className} ref={take} />;
}

function take(place: HTMLDivElement | null): () => void {
  noticePlace.set(place ?? undefined);
  return () => {
    if (noticePlace.getSnapshot() === place) noticePlace.set(undefined);
  };
}
