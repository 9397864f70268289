import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The page, built into `web/dist`, from where the service serves it. Nothing is inlined: its policy forbids that. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: { input: { page: 'index.html' } },
  },
});
