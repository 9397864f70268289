// Before the first paint: the colours that were chosen on this device, so that a dark page does not flash white. A
// classic script of its own, because the page's Content-Security-Policy forbids inline ones and a module would come
// too late. The key is that of app.tsx.
{
  let chosen = null;
  try {
    chosen = localStorage.getItem('doorman.color-scheme');
  } catch {
    // Storage is shut: as the device has it.
  }
  const isDark =
    chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.mantineColorScheme = isDark ? 'dark' : 'light';
}
