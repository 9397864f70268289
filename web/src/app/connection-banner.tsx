import { CloudOfflineIcon } from '@primer/octicons-react';
import { useEffect, useState } from 'react';
import { useConnection, useStores } from '../data/hooks.ts';
import type { ConnectionView } from '../data/views.ts';
import { useTexts } from '../i18n/texts.tsx';
import { Banner, BannerButton } from '../ui/controls/banner.tsx';

/** A connection that is back within this time is not reported. */
const PATIENCE_MS = 2_000;

/** Reports a lost connection, and what happens to new messages. */
export function ConnectionBanner() {
  const connection = useConnection();
  const isLong = useLasting(connection.state !== 'live' && connection.state !== 'off', PATIENCE_MS);
  const isOffline = useOffline(connection.state);
  return (
    <div role="status">
      {(isLong || connection.state === 'stopped') && (
        <Trouble connection={connection} isOffline={isOffline} />
      )}
    </div>
  );
}

function Trouble({ connection, isOffline }: { connection: ConnectionView; isOffline: boolean }) {
  const texts = useTexts().shell;
  const { doorman } = useStores();
  const say = (text: string, button?: string, action?: () => void) => (
    <Banner kind="trouble" icon={<CloudOfflineIcon size={16} />} testId="connection-banner">
      <span>{text}</span>
      {button && action && <BannerButton onClick={action}>{button}</BannerButton>}
    </Banner>
  );
  if (connection.state === 'stopped')
    return connection.why === 'replaced'
      ? say(texts.replaced, texts.takeOver, () => doorman.connect())
      : say(texts.broken, texts.reload, () => location.reload());
  return isOffline ? say(texts.offline, texts.tryNow, () => doorman.reconnectNow()) : say(texts.connecting);
}

/** True from the first try that fails until one succeeds, through the tries in between. */
function useOffline(state: ConnectionView['state']): boolean {
  const [isOffline, setOffline] = useState(state === 'waiting');
  useEffect(() => {
    if (state !== 'connecting') setOffline(state === 'waiting');
  }, [state]);
  return isOffline;
}

/** Whether a condition has been true for `forMs` without a break. */
function useLasting(isSo: boolean, forMs: number): boolean {
  const [hasLasted, setLasted] = useState(false);
  useEffect(() => {
    if (!isSo) {
      setLasted(false);
      return;
    }
    const timer = setTimeout(() => setLasted(true), forMs);
    return () => clearTimeout(timer);
  }, [isSo, forMs]);
  return hasLasted && isSo;
}
