import { useEffect, useState } from 'react';
import { safeAvatar } from '../../ui/person/avatar.ts';

/** Nobody types an address in one go, and half of one leads nowhere. */
const TYPED_MS = 500;

/**
 * What is to be shown of an address that is being typed, and whether a picture comes from there. It follows when nobody has
 * typed for a moment.
 */
export function usePicture(typed: string): {
  address: string;
  state: 'none' | 'waiting' | 'there' | 'failed';
} {
  const [address, setAddress] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setAddress(typed), TYPED_MS);
    return () => clearTimeout(timer);
  }, [typed]);

  const [found, setFound] = useState<{ address: string; isThere: boolean }>();
  const src = safeAvatar(address.trim(), document.baseURI);
  useEffect(() => {
    if (src === undefined) return;
    const image = new Image();
    image.referrerPolicy = 'no-referrer';
    image.onload = () => setFound({ address: src, isThere: true });
    image.onerror = () => setFound({ address: src, isThere: false });
    image.src = src;
    return () => {
      image.onload = null;
      image.onerror = null;
    };
  }, [src]);
  if (src === undefined) return { address: '', state: 'none' };
  if (found?.address !== src) return { address: src, state: 'waiting' };
  return { address: src, state: found.isThere ? 'there' : 'failed' };
}
