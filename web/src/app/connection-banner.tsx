import { CloudOfflineIcon } from '@primer/octicons-react';
import { useEffect, useState } from 'react';
import { useConnection, useNetwork, useStores } from '../data/hooks.ts';
import type { ConnectionView } from '../data/views.ts';
import { useTexts } from '../i18n/texts.tsx';
import { Banner, BannerButton } from '../ui/controls/banner.tsx';

/** A connection that is back within this time is not reported, unless the device has no network. */
const PATIENCE_MS = 2_000;

/** Reports a lost connection, and what happens to new messages. */
export function ConnectionBanner() {
  const connection = useConnection();
  const hasNetwork = useNetwork();
  const isOffline = useOffline(connection.state) || !hasNetwork;
  const isReported = useTrouble(connection.state, hasNetwork);
  return <div role="status">{isReported && <Trouble connection={connection} isOffline={isOffline} />}</div>;
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

/** Whether to report trouble: without a network at once and until the connection is live again, else after `PATIENCE_MS`. */
function useTrouble(state: ConnectionView['state'], hasNetwork: boolean): boolean {
  const isWell = hasNetwork && (state === 'live' || state === 'off');
  const isLong = useLasting(!isWell, PATIENCE_MS);
  const [hadNoNetwork, setHadNoNetwork] = useState(false);
  useEffect(() => {
    if (!hasNetwork) setHadNoNetwork(true);
    else if (isWell) setHadNoNetwork(false);
  }, [hasNetwork, isWell]);
  return !isWell && (isLong || !hasNetwork || hadNoNetwork || state === 'stopped');
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
