import { createPortal } from 'react-dom';
import { useReadable } from '../data/hooks.ts';
import { useTexts } from '../i18n/texts.tsx';
import { Banner, BannerButton } from '../ui/controls/banner.tsx';
import { noticePlace } from '../ui/page/notice-place.tsx';
import { waitingUpdate } from './app-update.ts';
import { ConnectionBanner } from './connection-banner.tsx';
import { storageFailure } from './storage.ts';

/**
 * The banners, the most urgent first. None moves what is on the screen: over an open chat they lie on the upper end of its
 * messages, elsewhere they take room from the lower end of the panes.
 *
 * @param props.className of the place below the panes
 */
export function Banners({ className }: { className: string | undefined }) {
  const place = useReadable(noticePlace);
  const banners = (
    <>
      <ConnectionBanner />
      <StorageBanner />
      <UpdateBanner />
    </>
  );
  return place ? createPortal(banners, place) : <div className={className}>{banners}</div>;
}

/** Says once that nothing more is stored; the page goes on in memory. */
function StorageBanner() {
  const texts = useTexts().shell;
  const failure = useReadable(storageFailure);
  return (
    <div role="status">
      {failure && (
        <Banner kind="trouble" testId="storage-banner">
          <span>{texts.storageFailed[failure]}</span>
          <BannerButton onClick={() => storageFailure.set(undefined)}>{texts.close}</BannerButton>
        </Banner>
      )}
    </div>
  );
}

function UpdateBanner() {
  const texts = useTexts().shell;
  const accept = useReadable(waitingUpdate);
  return (
    <div role="status">
      {accept && (
        <Banner kind="news" testId="update-banner">
          <span>{texts.updateReady}</span>
          <BannerButton onClick={accept}>{texts.update}</BannerButton>
          <BannerButton onClick={() => waitingUpdate.set(undefined)}>{texts.later}</BannerButton>
        </Banner>
      )}
    </div>
  );
}
