import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  // Styles that are made while the console runs carry this; the server puts a new one into every page it hands out.
  html: { cspNonce: '__NONCE__' },
  define: { __webpack_nonce__: "document.querySelector('meta[property=csp-nonce]')?.nonce" },
  build: {
    target: 'es2023',
    reportCompressedSize: false,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 2000,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // Mantine marks its files for servers that render pages; there is none here.
      onLog: (level, log, report) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') report(level, log);
      },
    },
  },
});
