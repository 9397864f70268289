import { PageHeader } from '../shell/page-header.tsx';
import { useWords } from '../words/words.tsx';

export function ProfilePage() {
  const words = useWords().shell;
  return <PageHeader title={words.settings} back="/settings" />;
}
