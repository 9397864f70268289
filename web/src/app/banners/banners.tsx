import { Suspense } from 'react';
import { createPortal } from 'react-dom';
import { useReadable } from '../../data/hooks.ts';
import { useOwnAccountStore } from '../../features/account/model/hooks.ts';
import { useTexts } from '../../i18n/texts.tsx';
import { Banner, BannerButton } from '../../ui/controls/banner.tsx';
import { noticePlace } from '../../ui/page/notice-place.tsx';
import { waitingUpdate } from '../app-update.ts';
import { settingsView } from '../settings-view.ts';
import { storageFailure } from '../storage.ts';
import { ConnectionBanner } from './connection-banner.tsx';

const NewSignIn = settingsView(() => import('./new-sign-in.tsx'), 'NewSignIn');

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
      <SignInBanner />
      <StorageBanner />
      <UpdateBanner />
    </>
  );
  return place ? createPortal(banners, place) : <div className={className}>{banners}</div>;
}

/** Another device has signed in, from a place that the account has not been used from. */
function SignInBanner() {
  const { newSignIn } = useOwnAccountStore();
  const event = useReadable(newSignIn);
  return (
    <div role="status">
      {event && (
        <Suspense fallback={null}>
          <NewSignIn device={event.device} onClose={() => newSignIn.set(undefined)} />
        </Suspense>
      )}
    </div>
  );
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
