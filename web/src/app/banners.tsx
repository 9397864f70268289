import { lazy, Suspense } from 'react';
import { useReadable } from '../data/hooks.ts';
import { useTexts } from '../i18n/texts.tsx';
import { Banner, BannerButton } from '../ui/controls/banner.tsx';
import { waitingUpdate } from './app-update.ts';
import { ConnectionBanner } from './connection-banner.tsx';
import { storageFailure } from './storage.ts';

const PushInvitation = lazy(async () => ({
  default: (await import('../features/notifications/push-invitation.tsx')).PushInvitation,
}));

/** The banners above the panes, the most urgent first. */
export function Banners() {
  return (
    <>
      <ConnectionBanner />
      <StorageBanner />
      <UpdateBanner />
      <Suspense fallback={null}>
        <PushInvitation />
      </Suspense>
    </>
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
