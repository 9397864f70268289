// Before the first paint, from what is stored on this device: the colours, so that a dark page does not flash white; the
// shell (shell.css); and which files of the build the page will need, so that they are loaded side by side. A classic script
// in the document (document-plugin.ts), as a module would run too late.
{
  const read = (key) => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null; // Storage is shut: as the device has it.
    }
  };
  const { dataset } = document.documentElement;

  const scheme = read('doorman.color-scheme'); // app.tsx
  const isDark =
    scheme === 'dark' || (scheme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  dataset.mantineColorScheme = isDark ? 'dark' : 'light';

  const [, section = '', id = ''] = location.pathname.split('/');
  const isLink = /^(?:forgot-password|set-password|verify-email|end-session)$/.test(section); // paths.ts
  const isIn = read('doorman.visited') === 'in' && !isLink; // visited.ts
  const isChat = section === 'chat' && id !== '';
  if (isIn) dataset.shell = isChat ? 'chat' : id === '' ? 'list' : 'page';

  const chosen = read('doorman.language'); // languages.ts
  const languages = (chosen ? [chosen] : navigator.languages).map((tag) => tag.toLowerCase().split('-')[0]);
  const language = languages.find((one) => one === 'en' || one === 'zh') ?? 'en';
  const view = isChat ? 'chat' : section === '' || section === 'new' ? 'chats' : section;
  const wanted = ['page', language, ...(isIn ? [view] : ['entrance', `entrance-${language}`])];
  for (const link of document.querySelectorAll('link[data-parts]')) {
    if (!link.dataset.parts.split(' ').some((part) => wanted.includes(part))) continue;
    link.crossOrigin = '';
    link.href = link.dataset.href;
    if (link.href.endsWith('.css')) link.as = 'style';
    link.rel = link.href.endsWith('.css') ? 'preload' : 'modulepreload';
  }
}
