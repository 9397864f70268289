import { AlertIcon, BellIcon, BellSlashIcon, CheckCircleIcon } from '@primer/octicons-react';
import type { ReactNode } from 'react';
import { useTexts } from '../../i18n/texts.tsx';
import { BusyButton } from '../../ui/controls/busy-button.tsx';
import { ErrorText } from '../../ui/controls/error-text.tsx';
import { useKeepFocus } from '../../ui/list/use-keep-focus.ts';
import { useOwnAccount } from '../account/model/hooks.ts';
import { browserKind } from './browser-kind.ts';
import styles from './this-device.module.css';
import { isUndecided, useThisDevicePush } from './this-device-push.ts';

/** Whether notifications are on on this device, and the buttons to change that. */
export function ThisDevice() {
  const { view } = useThisDevicePush();
  const isFailing = view.error !== undefined && view.state !== 'denied';
  // The button that the user pressed may be replaced by another one.
  useKeepFocus(view.state);
  const card = () => {
    if (isFailing) return <Failing />;
    switch (view.state) {
      case 'on':
        return <On />;
      case 'off':
        return <Off />;
      case 'denied':
        return <Denied />;
      case 'needs_home_screen':
        return <NeedsHomeScreen />;
      case 'unsupported':
        return <Unsupported />;
    }
  };
  return (
    <div data-testid="push-here" data-state={isFailing ? 'failing' : view.state}>
      {card()}
    </div>
  );
}

function Card({
  kind,
  icon,
  title,
  children,
}: {
  kind: 'on' | 'off' | 'trouble';
  icon: ReactNode;
  title: string;
  children: ReactNode;
}) {
  return (
    <div className={styles.card} data-kind={kind}>
      <div className={styles.head}>
        <span className={styles.icon}>{icon}</span>
        <h3 className={styles.title}>{title}</h3>
      </div>
      <div className={styles.content}>{children}</div>
    </div>
  );
}

function On() {
  const texts = useTexts().settings;
  const { settings } = useOwnAccount();
  const limit = settings?.pushEnabled === false ? 'nowhere' : settings?.dndEnabled ? 'dnd' : undefined;
  return (
    <Card kind="on" icon={<CheckCircleIcon />} title={texts.isOn}>
      <p className={styles.isOn}>{limit ? texts.isOnBut[limit] : texts.isOnSays}</p>
      <TurnOff />
    </Card>
  );
}

function TurnOff() {
  const texts = useTexts().settings;
  const { view, thisDevice } = useThisDevicePush();
  return (
    <BusyButton
      variant="default"
      label={texts.turnOff}
      pending={texts.turningOff}
      isPending={view.doing === 'turning_off'}
      // Without a subscription no notification comes, and the service finds that out by itself.
      onClick={() => void thisDevice.disable().catch(() => {})}
      testId="push-off"
    />
  );
}

/** Says what notifications are for and what they show, before the browser asks. */
function Off() {
  const texts = useTexts().settings;
  const { settings } = useOwnAccount();
  const { view } = useThisDevicePush();
  return (
    <Card kind="off" icon={<BellIcon />} title={texts.isOff}>
      <p>{texts.hereWhy}</p>
      {settings && <p>{texts.hereShows[settings.pushPreview]}</p>}
      <TurnOn />
      {isUndecided() && view.doing === undefined && !view.isUnanswered && <p>{texts.hereNext}</p>}
      <div className={styles.hint} role="status">
        {view.doing === 'asking' && texts.askingYou}
        {view.doing === undefined && view.isUnanswered && texts.noAnswer}
      </div>
    </Card>
  );
}

function TurnOn({ label }: { label?: string }) {
  const texts = useTexts().settings;
  const { view, thisDevice } = useThisDevicePush();
  return (
    <BusyButton
      label={label ?? texts.turnOn}
      pending={texts.turningOn}
      // Not pending while the browser asks: some browsers close their question without an answer.
      isPending={view.doing === 'turning_on'}
      onClick={() => void thisDevice.enable()}
      testId="push-on"
    />
  );
}

function Failing() {
  const { settings: texts, shell } = useTexts();
  const { view } = useThisDevicePush();
  return (
    <Card kind="trouble" icon={<AlertIcon />} title={texts.failing}>
      <ErrorText error={view.error} />
      <div className={styles.buttons}>
        <TurnOn label={shell.retry} />
        {view.state === 'on' && <TurnOff />}
      </div>
    </Card>
  );
}

function Denied() {
  const texts = useTexts().settings;
  const kind = browserKind(navigator.userAgent);
  return (
    <Card kind="trouble" icon={<BellSlashIcon />} title={texts.denied}>
      <p>{texts.deniedSays}</p>
      <Steps steps={texts.deniedSteps[kind]} />
      {kind !== 'ios' && <p>{texts.deniedSystem}</p>}
    </Card>
  );
}

function NeedsHomeScreen() {
  const texts = useTexts().settings;
  return (
    <Card kind="off" icon={<BellIcon />} title={texts.homeScreen}>
      <p>{texts.hereWhy}</p>
      <p>{texts.homeScreenSays}</p>
      <Steps steps={texts.homeScreenSteps} />
    </Card>
  );
}

function Unsupported() {
  const texts = useTexts().settings;
  return (
    <Card kind="off" icon={<BellSlashIcon />} title={texts.unsupported}>
      <p>{texts.unsupportedSays}</p>
    </Card>
  );
}

function Steps({ steps }: { steps: readonly string[] }) {
  return (
    <ol className={styles.steps}>
      {steps.map((step) => (
        <li key={step}>{step}</li>
      ))}
    </ol>
  );
}
