import { avatarUrl } from 'doorman-client';
import { useEffect, useState } from 'react';
import { failedPictures, useHasFailed } from '../../ui/person/failed-pictures.ts';

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

  const [found, setFound] = useState<string>();
  const src = avatarUrl(address.trim(), location.origin);
  const hasFailed = useHasFailed(src);
  useEffect(() => {
    if (src === undefined || hasFailed) return;
    const image = new Image();
    image.referrerPolicy = 'no-referrer';
    image.onload = () => setFound(src);
    image.onerror = () => failedPictures.add(src);
    image.src = src;
    return () => {
      image.onload = null;
      image.onerror = null;
    };
  }, [src, hasFailed]);
  if (src === undefined) return { address: '', state: 'none' };
  if (hasFailed) return { address: src, state: 'failed' };
  return { address: src, state: found === src ? 'there' : 'waiting' };
}
