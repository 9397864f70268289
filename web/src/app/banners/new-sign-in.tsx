import { AlertIcon } from '@primer/octicons-react';
import { useLocation } from 'wouter';
import { useTexts } from '../../i18n/texts.tsx';
import { Banner, BannerButton } from '../../ui/controls/banner.tsx';
import { useDeviceLabel } from '../../ui/person/device-label.ts';

interface NewSignInProps {
  /** Its User-Agent. */
  device: string;
  onClose: () => void;
}

/** Names the device that has signed in, and leads to the list of devices. */
export function NewSignIn({ device, onClose }: NewSignInProps) {
  const { settings: texts, shell } = useTexts();
  const [, go] = useLocation();
  const label = useDeviceLabel();
  return (
    <Banner kind="news" icon={<AlertIcon />} testId="sign-in-banner">
      <span>{texts.newSignIn(label(device))}</span>
      <BannerButton
        onClick={() => {
          onClose();
          go('/settings/security');
        }}
      >
        {texts.newSignInCheck}
      </BannerButton>
      <BannerButton onClick={onClose}>{shell.close}</BannerButton>
    </Banner>
  );
}
