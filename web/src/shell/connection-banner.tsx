import { CloudOfflineIcon } from '@primer/octicons-react';
import { useEffect, useState } from 'react';
import { useConnection, usePage } from '../state/hooks.ts';
import type { ConnectionView } from '../state/views.ts';
import { useWords } from '../words/words.tsx';
import { Banner, BannerButton } from './banner.tsx';

/** A connection that comes back within this time is not worth a word. */
const PATIENCE_MS = 2_000;

/** Says when nothing comes through, and what becomes of what is written. */
export function ConnectionBanner() {
  const connection = useConnection();
  const isLong = useLasting(connection.state !== 'live' && connection.state !== 'off', PATIENCE_MS);
  return (
    <div role="status">
      {(isLong || connection.state === 'stopped') && <Trouble connection={connection} />}
    </div>
  );
}

function Trouble({ connection }: { connection: ConnectionView }) {
  const words = useWords().shell;
  const { doorman } = usePage();
  const icon = <CloudOfflineIcon size={16} />;
  switch (connection.state) {
    case 'connecting':
      return (
        <Banner kind="trouble" icon={icon} testId="connection-banner">
          <span>{words.connecting}</span>
        </Banner>
      );
    case 'waiting':
      return (
        <Banner kind="trouble" icon={icon} testId="connection-banner">
          <span>{words.offline}</span>
          <BannerButton onClick={() => doorman.reconnectNow()}>{words.tryNow}</BannerButton>
        </Banner>
      );
    case 'stopped':
      return connection.why === 'replaced' ? (
        <Banner kind="trouble" icon={icon} testId="connection-banner">
          <span>{words.replaced}</span>
          <BannerButton onClick={() => doorman.connect()}>{words.takeOver}</BannerButton>
        </Banner>
      ) : (
        <Banner kind="trouble" icon={icon} testId="connection-banner">
          <span>{words.broken}</span>
          <BannerButton onClick={() => location.reload()}>{words.reload}</BannerButton>
        </Banner>
      );
    default:
      return null;
  }
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
