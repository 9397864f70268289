import { AlertIcon, BellIcon, BellSlashIcon, CheckCircleIcon } from '@primer/octicons-react';
import type { ReactNode } from 'react';
import { useTexts } from '../../i18n/texts.tsx';
import { BusyButton } from '../../ui/controls/busy-button.tsx';
import { ErrorText } from '../../ui/controls/error-text.tsx';
import { LoadingRows } from '../../ui/list/loading.tsx';
import { useFocusKept } from '../../ui/list/use-keep-focus.ts';
import { useOwnAccount } from '../account/model/hooks.ts';
import { browserKind } from './browser-kind.ts';
import styles from './this-device.module.css';
import { isUndecided, usePushHere } from './this-device-push.ts';

/** Notifications on this device: how it stands, and what can be done about it. */
export function HereCard() {
  const { view } = usePushHere();
  const isFailing = view.error !== undefined && view.state !== 'denied';
  // The button that was used may be gone, as the other one is what can be done now.
  useFocusKept(view.state);
  const card = () => {
    if (view.state === undefined) return <LoadingRows />;
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
  const but = settings?.pushEnabled === false ? 'nowhere' : settings?.dndEnabled ? 'dnd' : undefined;
  return (
    <Card kind="on" icon={<CheckCircleIcon size={20} />} title={texts.isOn}>
      <p>{but ? texts.isOnBut[but] : texts.hereWhy}</p>
      <TurnOff />
    </Card>
  );
}

function TurnOff() {
  const texts = useTexts().settings;
  const { view, here } = usePushHere();
  return (
    <BusyButton
      variant="default"
      label={texts.turnOff}
      pending={texts.turningOff}
      isPending={view.doing === 'turning_off'}
      // Without a subscription nothing comes, and the service learns that by itself.
      onClick={() => void here.disable().catch(() => {})}
      testId="push-off"
    />
  );
}

/** What for, and what is shown, is said before the browser asks. */
function Off() {
  const texts = useTexts().settings;
  const { settings } = useOwnAccount();
  const { view } = usePushHere();
  return (
    <Card kind="off" icon={<BellIcon size={20} />} title={texts.isOff}>
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
  const { view, here } = usePushHere();
  return (
    <BusyButton
      label={label ?? texts.turnOn}
      pending={texts.turningOn}
      // While the browser asks it can be used again: some take the question away without an answer.
      isPending={view.doing === 'turning_on'}
      onClick={() => void here.enable()}
      testId="push-on"
    />
  );
}

function Failing() {
  const { settings: texts, shell } = useTexts();
  const { view } = usePushHere();
  return (
    <Card kind="trouble" icon={<AlertIcon size={20} />} title={texts.failing}>
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
    <Card kind="trouble" icon={<BellSlashIcon size={20} />} title={texts.denied}>
      <p>{texts.deniedSays}</p>
      <Steps steps={texts.deniedSteps[kind]} />
      {kind !== 'ios' && <p>{texts.deniedSystem}</p>}
    </Card>
  );
}

function NeedsHomeScreen() {
  const texts = useTexts().settings;
  return (
    <Card kind="off" icon={<BellIcon size={20} />} title={texts.homeScreen}>
      <p>{texts.hereWhy}</p>
      <p>{texts.homeScreenSays}</p>
      <Steps steps={texts.homeScreenSteps} />
    </Card>
  );
}

function Unsupported() {
  const texts = useTexts().settings;
  return (
    <Card kind="off" icon={<BellSlashIcon size={20} />} title={texts.unsupported}>
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
