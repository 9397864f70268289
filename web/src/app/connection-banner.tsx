import { CloudOfflineIcon } from '@primer/octicons-react';
import { useEffect, useState } from 'react';
import { useConnection, useStores } from '../data/hooks.ts';
import type { ConnectionView } from '../data/views.ts';
import { useTexts } from '../i18n/texts.tsx';
import { Banner, BannerButton } from '../ui/controls/banner.tsx';

/** A connection that comes back within this time is not worth a word. */
const PATIENCE_MS = 2_000;

/** Says when nothing comes through, and what becomes of what is written. */
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
  const say = (text: string, button?: string, act?: () => void) => (
    <Banner kind="trouble" icon={<CloudOfflineIcon size={16} />} testId="connection-banner">
      <span>{text}</span>
      {button && act && <BannerButton onClick={act}>{button}</BannerButton>}
    </Banner>
  );
  if (connection.state === 'stopped')
    return connection.why === 'replaced'
      ? say(texts.replaced, texts.takeOver, () => doorman.connect())
      : say(texts.broken, texts.reload, () => location.reload());
  return isOffline ? say(texts.offline, texts.tryNow, () => doorman.reconnectNow()) : say(texts.connecting);
}

/** From the first try that failed until one succeeds: the tries in between change nothing for the user. */
function useOffline(state: ConnectionView['state']): boolean {
  const [isOffline, setOffline] = useState(state === 'waiting');
  useEffect(() => {
    if (state !== 'connecting') setOffline(state === 'waiting');
  }, [state]);
  return isOffline;
}

/** Whether something has been so for a while without a break. */
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
