import { PageHeader } from '../shell/page-header.tsx';
import { useWords } from '../words/words.tsx';

export function PersonPage({ userId: _userId }: { userId: string }) {
  const words = useWords().shell;
  return <PageHeader title={words.people} back="/people" />;
}
