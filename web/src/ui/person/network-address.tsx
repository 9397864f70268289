import { useTexts } from '../../i18n/texts.tsx';

/** A network address; one of IPv6 is broken after a colon where it has to be. For the views that have the settings' texts. */
export function NetworkAddress({ address }: { address: string }) {
  const texts = useTexts().settings;
  const parts = address.split(/(?<=:)/);
  return (
    <>
      {texts.sessionAddress} {parts.flatMap((part, i) => [part, <wbr key={`${i} ${part}`} />])}
    </>
  );
}
