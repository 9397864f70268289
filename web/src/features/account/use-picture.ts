import { useEffect, useState } from 'react';
import { safeAvatar } from '../../ui/person/avatar.ts';

/** An address is loaded when the user has not typed for this time, as half of one leads nowhere. */
const TYPING_MS = 500;

/**
 * The picture of an address that is being typed. It follows when the user pauses.
 *
 * @returns `address` is empty where the text is no address of a picture that the page may load
 */
export function usePicture(typed: string): {
  address: string;
  state: 'none' | 'waiting' | 'there' | 'failed';
} {
  const [address, setAddress] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setAddress(typed), TYPING_MS);
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
