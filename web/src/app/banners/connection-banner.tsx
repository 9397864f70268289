import { CloudOfflineIcon } from '@primer/octicons-react';
import { useEffect, useState } from 'react';
import { useConnection, useIsOffline, useNetwork, useStores } from '../../data/hooks.ts';
import type { ConnectionView } from '../../data/views.ts';
import { useTexts } from '../../i18n/texts.tsx';
import { Banner, BannerButton } from '../../ui/controls/banner.tsx';

/** Reports a lost connection, and what happens to new messages. */
export function ConnectionBanner() {
  const connection = useConnection();
  const hasNetwork = useNetwork();
  const hasFailed = useFailure(connection.state) || !hasNetwork;
  const isReported = useIsOffline();
  return <div role="status">{isReported && <Trouble connection={connection} hasFailed={hasFailed} />}</div>;
}

function Trouble({ connection, hasFailed }: { connection: ConnectionView; hasFailed: boolean }) {
  const texts = useTexts().shell;
  const { doorman } = useStores();
  const say = (text: string, button?: string, action?: () => void) => (
    <Banner kind="trouble" icon={<CloudOfflineIcon />} testId="connection-banner">
      <span>{text}</span>
      {button && action && <BannerButton onClick={action}>{button}</BannerButton>}
    </Banner>
  );
  if (connection.state === 'stopped')
    return connection.why === 'replaced'
      ? say(texts.replaced, texts.takeOver, () => doorman.connect())
      : say(texts.broken, texts.reload, () => location.reload());
  return hasFailed ? say(texts.offline, texts.tryNow, () => doorman.reconnectNow()) : say(texts.connecting);
}

/** True from the first try that fails until one succeeds, through the tries in between. */
function useFailure(state: ConnectionView['state']): boolean {
  const [hasFailed, setFailed] = useState(state === 'waiting');
  useEffect(() => {
    if (state !== 'connecting') setFailed(state === 'waiting');
  }, [state]);
  return hasFailed;
}
