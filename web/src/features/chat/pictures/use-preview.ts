import { DoormanError } from 'doorman-client';
import { useEffect, useState } from 'react';
import { useConnection } from '../../../data/hooks.ts';
import type { MessageView } from '../model/views.ts';
import { usePreviewUrls } from './preview-urls.ts';

interface Preview {
  /** Its address; absent while it is loaded. */
  readonly url: string | undefined;
  /** Why it cannot be loaded: it is tried again when the connection is back, and by `retry`. */
  readonly failure: 'gone' | 'failed' | undefined;
  retry(): void;
}

/** The preview of a message's picture. */
export function usePreview({ n, cid, isOwn, picture }: MessageView, peer: string): Preview {
  const urls = usePreviewUrls();
  const id = picture?.id;
  const [url, setUrl] = useState(() => urls.find(id, isOwn ? cid : undefined));
  const [failure, setFailure] = useState<Preview['failure']>();
  const [tries, setTries] = useState(0);
  const isLive = useConnection().state === 'live';

  useEffect(() => {
    const place = n !== undefined && id !== undefined ? { peer, n, id } : undefined;
    if (place && isOwn) urls.adopt(place, cid);
    if (url !== undefined) return undefined;
    let isShown = true;
    const load = place && picture ? urls.load(place, picture) : urls.loadOutgoing(peer, cid);
    load.then(
      (loaded) => {
        if (isShown) setUrl(loaded);
      },
      (error: unknown) => {
        if (!(error instanceof DoormanError)) throw error;
        if (isShown) setFailure(error.code === 404 ? 'gone' : 'failed');
      },
    );
    return () => {
      isShown = false;
    };
  }, [urls, peer, n, id, cid, isOwn, url, tries]);

  const retry = () => {
    setFailure(undefined);
    setTries((before) => before + 1);
  };
  useEffect(() => {
    if (isLive && failure === 'failed') retry();
  }, [isLive]);
  return { url, failure, retry };
}
