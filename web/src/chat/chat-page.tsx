import { PageHeader } from '../shell/page-header.tsx';
import { useWords } from '../words/words.tsx';

export function ChatPage({ peer: _peer }: { peer: string }) {
  const words = useWords().shell;
  return <PageHeader title={words.chats} back="/" />;
}
